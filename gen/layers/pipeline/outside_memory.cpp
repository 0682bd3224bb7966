// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/outside_memory.h"

#include <fmt/format.h>

#include "gen/layers/common/messages.h"
#include "gen/layers/pipeline/messages.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {

WeightImage shared_weights(const PipelinePlan& plan) {
  if (plan.weights.empty()) return {};
  return std::make_shared<const std::vector<std::uint8_t>>(weight_image(plan));
}

OutsideMemory::OutsideMemory(const PipelinePlan& plan, WeightImage image,
                             std::function<bool(std::int64_t)> answers)
    : image_(std::move(image)),
      word_bytes_(static_cast<std::size_t>(weight_reader_of(plan)->word_bytes())),
      answers_(std::move(answers)) {}

void OutsideMemory::drive(PipelineIn<Values>& in) {
  takes_ = !answers_ || answers_(clock_);
  // A word that is offered stays until it is taken.
  gives_ = !bursts_.empty() && bursts_.front().clock <= clock_ && (gives_ || takes_);
  in.weights_base.assign(1, base);
  in.m_arready.assign(1, takes_);
  in.m_rvalid.assign(1, gives_);
  if (!gives_) return;
  const Burst& burst = bursts_.front();
  in.m_rlast.assign(1, burst.words == 1);
  in.m_rresp.assign(1, 0);
  constexpr std::size_t bytes = WeightReaderPlan::element_bits / 8;
  for (std::size_t i = 0; i < in.m_rdata.size(); ++i) {
    in.m_rdata[i] = 0;
    for (std::size_t byte = 0; byte < bytes; ++byte)
      in.m_rdata[i] |= std::uint64_t{(*image_)[burst.place + i * bytes + byte]} << (8 * byte);
  }
}

void OutsideMemory::watch(const PipelineOut<Values>& out) {
  const bool asks = out.m_arvalid.at(0);
  if (has_asked_ && (!asks || out.m_araddr.at(0) != asked_))
    throw DesignError(code::stream_rule_broken,
                      fmt::format("m_axi takes back a request in clock {}", clock_));
  has_asked_ = asks && !takes_;
  asked_ = out.m_araddr.at(0);
  if (gives_ && out.m_rready.at(0)) {
    Burst& burst = bursts_.front();
    burst.place += word_bytes_;
    if (--burst.words == 0) bursts_.pop_front();
    gives_ = false;
  }
  if (asks && takes_) take(out);
  if (out.weights_error.at(0))
    throw DesignError(
        code::stream_rule_broken,
        fmt::format("weights_error is 1 in clock {}, and no answer was an error", clock_));
  ++clock_;
}

void OutsideMemory::take(const PipelineOut<Values>& out) {
  const std::uint64_t address = out.m_araddr.at(0), words = out.m_arlen.at(0) + 1,
                      bytes = words * word_bytes_;
  const std::uint64_t place = address - base;
  const auto page = static_cast<std::uint64_t>(WeightReaderPlan::page);
  const auto require = [&](bool holds, const char* what) {
    if (holds) return;
    throw DesignError(code::stream_rule_broken,
                      fmt::format("m_axi asks for {} words at address {:#x} in clock {}: {}", words,
                                  address, clock_, what));
  };
  require(address >= base && place + bytes <= image_->size(),
          "a burst must stay within the image of the weights");
  require(address / page == (address + bytes - 1) / page,
          "a burst must not cross the end of a page of 4096 bytes");
  require(out.m_arsize.at(0) < 8 && std::size_t{1} << out.m_arsize.at(0) == word_bytes_ &&
              out.m_arburst.at(0) == 1,
          "it must read whole words, one behind the other");
  bursts_.push_back(
      {clock_ + latency, static_cast<std::size_t>(place), static_cast<std::int64_t>(words)});
}

}  // namespace kumiki::gen::pipeline
