// SPDX-License-Identifier: Apache-2.0
// The models of the machines, clock by clock, each given what the others show.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

class PipelineModel {
 public:
  explicit PipelineModel(PipelinePlan plan);
  void power_up();
  PipelineOut<Values> step(const PipelineIn<Values>& in);
  // What a machine showed in the last step, and whether its result was taken then.
  const MachineOut<Values>& shown(std::size_t box) const { return shown_[box]; }
  bool was_taken(std::size_t box) const { return taken_[box]; }

 private:
  bool all_ready(std::size_t source) const;
  void watch(const PipelineIn<Values>& in, PipelineOut<Values>& out);
  PipelinePlan plan_;
  std::vector<std::vector<Reader>> readers_;  // of each box; of the stream from outside at the end
  std::vector<std::unique_ptr<MachineModel>> models_;
  std::vector<MachineIn<Values>> given_;
  std::vector<MachineOut<Values>> shown_;
  std::vector<bool> taken_;
  std::int64_t beat_ = 0;     // of the output, within its frame
  std::int64_t beat_in_ = 0;  // of the input
  bool has_in_error_ = false;
  std::optional<CountersModel> counters_;
};

}  // namespace kumiki::gen::pipeline
