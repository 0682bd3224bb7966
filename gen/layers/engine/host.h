// SPDX-License-Identifier: Apache-2.0
// Both ends of an engine's streams: sends beats, and collects what leaves.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gen/layers/engine/hardware/stream.h"

namespace kumiki::gen::engine {

class Host {
 public:
  // `wanted` beats leave for all of `beats`. The first clock is a reset.
  Host(const EnginePlan& plan, std::vector<Beat> beats, std::size_t wanted)
      : beats_(std::move(beats)),
        wanted_(wanted),
        nothing_(static_cast<std::size_t>(plan.core.shape.columns), 0) {}

  // The inputs of the next clock, and what is seen in it.
  EngineIn<Values> drive() const {
    const bool has_beat = clocks_ > 0 && at_ < beats_.size();
    return {.rst = clocks_ == 0,
            .in_valid = has_beat,
            .out_ready = true,
            .in_data = has_beat ? beats_[at_] : nothing_};
  }
  void watch(const EngineOut<Values>& out) {
    const bool sends = clocks_ > 0 && at_ < beats_.size() && out.in_ready,
               takes = clocks_ > 0 && out.out_valid;
    if (sends) ++at_;
    if (takes) left_.push_back(out.out_data);
    since_ = sends || takes ? 0 : since_ + 1;
    ++clocks_;
  }
  bool is_done() const { return at_ == beats_.size() && left_.size() >= wanted_; }
  std::int64_t clocks() const { return clocks_; }
  std::int64_t since() const { return since_; }  // clocks since something moved
  const std::vector<Beat>& left() const { return left_; }

 private:
  std::vector<Beat> beats_;
  std::size_t wanted_, at_ = 0;
  Beat nothing_;
  std::vector<Beat> left_;
  std::int64_t clocks_ = 0, since_ = 0;
};

}  // namespace kumiki::gen::engine
