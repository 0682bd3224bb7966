// SPDX-License-Identifier: Apache-2.0
// Sends images through a pipeline on any machine with its ports: beats go in when the host offers
// them and leave when it takes them.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gen/layers/pipeline/outside_memory.h"
#include "gen/layers/pipeline/plan.h"
#include "ir/lane_machine.h"

namespace kumiki::gen::pipeline {

// Converts the numbers of a tensor ([channel][row][column]) to and from the beats of a frame.
std::vector<std::vector<std::uint64_t>> beats_of(const Stream& stream,
                                                 std::span<const std::int32_t> numbers);
std::vector<std::int32_t> numbers_of(const Stream& stream,
                                     std::span<const std::vector<std::uint64_t>> beats);

// Whether the host offers and takes in a clock, and whether its memory answers; empty: always.
struct Stalls {
  std::function<bool(std::int64_t clock)> offers = {}, takes = {}, answers = {};
};

// One host that sends its images one after the other; an image has the numbers of all inputs.
class Host {
 public:
  // `weights`: those outside; null: its own copy of them.
  Host(const PipelinePlan& plan, std::span<const std::int32_t> images, Stalls stalls = {},
       WeightImage weights = {});
  void drive(PipelineIn<Values>& in);
  void watch(const PipelineOut<Values>& out);  // reads what the pipeline shows in this clock
  bool is_through() const { return results_.size() == frames_; }
  // [image]: the numbers of all outputs one after the other, and the clock in which the image's
  // last beat left.
  const std::vector<std::vector<std::int32_t>>& results() const { return results_; }
  const std::vector<std::int64_t>& left() const { return left_; }
  std::int64_t clocks() const { return clock_; }

 private:
  std::vector<Stream> in_, out_;               // map after map
  std::int64_t beats_in_ = 0, beats_out_ = 0;  // of a frame
  PipelineIn<Values> none_;                    // the inputs while nothing is offered
  Stalls stalls_;
  std::optional<OutsideMemory> memory_;
  std::vector<std::vector<std::uint64_t>> beats_, arrived_;
  std::size_t frames_ = 0, next_ = 0;
  bool offers_ = false, takes_ = false;
  std::int64_t clock_ = 0;
  std::vector<std::vector<std::int32_t>> results_;
  std::vector<std::int64_t> left_;
};

// Requires that an output of an image equals its definition; `machine`: what computed it.
// DesignError.
void require_defined(const graph::Tensor& output, std::span<const std::int32_t> made,
                     std::span<const std::int32_t> wanted, std::size_t image,
                     const std::string& machine);

// Runs hosts on one machine each, or up to 64 in the lanes of one, until all have finished. Powers
// up the machine. DesignError: the pipeline shows nothing for `patience` clocks while a host waits,
// or marks the end of a frame in the wrong place. `prefix`: of the port names. Interrupted.
struct Play {
  std::string prefix = {};
  std::int64_t patience = 0;
  std::function<void(std::int64_t clocks)> progress = {};
};
void play(Host& host, const PipelinePlan& plan, ir::Machine& machine, const ir::PortLayout& ports,
          const Play& how);
void play(std::span<Host> hosts, const PipelinePlan& plan, ir::LaneMachine& machine,
          const Play& how);

}  // namespace kumiki::gen::pipeline
