// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/model.h"

#include <algorithm>

namespace kumiki::gen::pipeline {

PipelineModel::PipelineModel(PipelinePlan plan) : plan_(std::move(plan)) {
  require_contracts(plan_);
  for (std::size_t b = 0; b < plan_.boxes.size(); ++b) {
    models_.emplace_back(plan_.boxes[b].machine);
    readers_.push_back(readers_of(plan_, b));
  }
  readers_.push_back(readers_of(plan_, Box::from_outside));
  for (std::size_t w = 0; w < plan_.weights.size(); ++w)
    readers_.push_back(readers_of(plan_, Box::weights(w)));
  if (auto reader = weight_reader_of(plan_)) weights_.emplace(*std::move(reader));
  given_.resize(models_.size());
  if (const auto counters = counters_of(plan_)) counters_.emplace(*counters);
  power_up();
}

void PipelineModel::power_up() {
  for (MachineModel& m : models_) m.reset();
  shown_.assign(models_.size(), {});
  taken_.assign(models_.size(), false);
  beat_ = beat_in_ = 0;
  has_in_error_ = false;
  if (counters_) counters_->power_up();
  if (weights_) weights_->power_up();
}

bool PipelineModel::all_ready(std::size_t source) const {
  return std::ranges::all_of(readers_[source],
                             [&](const Reader& r) { return shown_[r.box].in_ready[r.input]; });
}

PipelineOut<Values> PipelineModel::step(const PipelineIn<Values>& in) {
  const std::size_t count = models_.size(), last = count - 1, outside = count;
  for (std::size_t b = 0; b < count; ++b) shown_[b] = models_[b].shown();
  const bool in_ready = all_ready(outside);
  PipelineOut<Values> out{.in_ready = in_ready,
                          .out_valid = shown_[last].out_valid,
                          .out_last = beat_ + 1 == plan_.output().beats(),
                          .out_data = shown_[last].out_data};
  // A beat goes to all of its readers or to none.
  std::vector<bool> ready(readers_.size());
  for (std::size_t b = 0; b < count; ++b) ready[b] = b == last ? in.out_ready : all_ready(b);
  ready[outside] = in_ready;
  std::vector<std::span<const std::uint64_t>> weights;
  std::span<const std::uint64_t> rest;
  if (weights_) rest = weights_->shown().data;
  for (std::size_t w = 0; w < plan_.weights.size(); ++w) {
    ready[outside + 1 + w] = all_ready(outside + 1 + w);
    const auto lanes = static_cast<std::size_t>(plan_.weights[w].stream.lanes);
    weights.push_back(rest.first(lanes));
    rest = rest.subspan(lanes);
  }
  for (std::size_t b = 0; b < count; ++b) {
    MachineIn<Values>& of_box = given_[b];
    of_box.rst = in.rst;
    of_box.out_ready = ready[b];
    of_box.in_valid.clear();
    of_box.in_data.clear();
    const auto& sources = plan_.boxes[b].sources;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool is_outside = Box::is_outside(sources[i]);
      const std::size_t stream = is_outside ? Box::outside(sources[i]) : 0,
                        source = is_outside ? outside + stream : sources[i];
      const bool valid = !is_outside   ? shown_[source].out_valid
                         : stream == 0 ? in.in_valid
                                       : bool{weights_->shown().valid[stream - 1]};
      const std::span<const std::uint64_t> data = !is_outside   ? std::span(shown_[source].out_data)
                                                  : stream == 0 ? std::span(in.in_data)
                                                                : weights[stream - 1];
      // A single reader sees valid even if it is not ready; each of several waits for the others.
      of_box.in_valid.push_back(valid && (readers_[source].size() == 1 || ready[source]));
      of_box.in_data.insert(of_box.in_data.end(), data.begin(), data.end());
    }
    models_[b].clock(of_box);
    taken_[b] = shown_[b].out_valid && ready[b];
  }
  if (weights_) read_weights(in, out, {ready.begin() + std::ssize(models_) + 1, ready.end()});
  watch(in, out);
  if (taken_[last]) beat_ = out.out_last ? 0 : beat_ + 1;
  if (in.rst) beat_ = 0;
  return out;
}

void PipelineModel::read_weights(const PipelineIn<Values>& in, PipelineOut<Values>& out,
                                 const std::vector<bool>& taken) {
  const WeightReaderOut<Values>& shown = weights_->shown();
  out.m_araddr = {shown.araddr};
  out.m_arlen = {shown.arlen};
  out.m_arsize = {static_cast<std::uint64_t>(weights_->plan().size_code())};
  out.m_arburst = {std::uint64_t{WeightReaderPlan::incrementing}};
  out.m_arvalid = {shown.arvalid};
  out.m_rready = {shown.rready};
  out.weights_error = {shown.error};
  weights_->clock({.rst = in.rst,
                   .base = in.weights_base.at(0),
                   .taken = taken,
                   .arready = in.m_arready.at(0),
                   .rvalid = in.m_rvalid.at(0),
                   .rlast = in.m_rlast.at(0),
                   .rresp = in.m_rresp.at(0),
                   .rdata = in.m_rdata});
}

void PipelineModel::watch(const PipelineIn<Values>& in, PipelineOut<Values>& out) {
  const bool enters = in.in_valid && out.in_ready;
  const bool ends = beat_in_ + 1 == plan_.input().beats();
  const bool is_wrong = plan_.input_last && enters && in.in_last.at(0) != ends;
  if (plan_.input_last) out.in_error = {has_in_error_};
  if (counters_) {
    CountersIn<Values> seen{
        .rst = in.rst,
        .events = {true, enters && ends, taken_.back() && out.out_last,
                   in.in_valid && !out.in_ready, out.out_valid && !in.out_ready},
        .araddr = in.araddr.at(0),
        .arvalid = in.arvalid.at(0),
        .rready = in.rready.at(0)};
    if (plan_.input_last) seen.events.push_back(is_wrong);
    for (std::size_t b = 0; plan_.counted == Counted::machines && b < taken_.size(); ++b) {
      seen.events.push_back(taken_[b]);
      seen.events.push_back(shown_[b].out_valid && !taken_[b]);
    }
    const auto answer = counters_->step(seen);
    out.arready = {answer.arready};
    out.rvalid = {answer.rvalid};
    out.rresp = {answer.rresp};
    out.rdata = {answer.rdata};
  }
  has_in_error_ = (has_in_error_ || is_wrong) && !in.rst;
  if (enters) beat_in_ = ends ? 0 : beat_in_ + 1;
  if (in.rst) beat_in_ = 0;
}

}  // namespace kumiki::gen::pipeline
