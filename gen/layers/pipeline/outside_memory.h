// SPDX-License-Identifier: Apache-2.0
// The memory outside that a host gives a pipeline for its weights: the answers to an AXI4 master,
// and what that master must obey.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

// The image of the weights, which several hosts may share.
using WeightImage = std::shared_ptr<const std::vector<std::uint8_t>>;
WeightImage shared_weights(const PipelinePlan& plan);  // null: all are on the chip

class OutsideMemory {
 public:
  // `answers`: whether it does anything in a clock; empty: always.
  OutsideMemory(const PipelinePlan& plan, WeightImage image,
                std::function<bool(std::int64_t clock)> answers);
  void drive(PipelineIn<Values>& in);
  // Reads what the pipeline shows in this clock. DesignError: a rule of AXI4 is broken, or a burst
  // leaves the image.
  void watch(const PipelineOut<Values>& out);

 private:
  // From the request to its first word.
  static constexpr std::int64_t latency = 40;
  static constexpr std::uint64_t base = 0x10'0000'0000 - 0x4000'0000;
  struct Burst {
    std::int64_t clock;  // of its first word
    std::size_t place;   // of the next word in the image, in bytes
    std::int64_t words;  // that have not come
  };
  void take(const PipelineOut<Values>& out);
  WeightImage image_;
  std::size_t word_bytes_;
  std::function<bool(std::int64_t)> answers_;
  std::deque<Burst> bursts_;
  bool takes_ = false, gives_ = false;
  bool has_asked_ = false;  // and was not heard
  std::uint64_t asked_ = 0;
  std::int64_t clock_ = 0;
};

}  // namespace kumiki::gen::pipeline
