// SPDX-License-Identifier: Apache-2.0
// Runs the models of all machines clock by clock and passes what each shows to the others.
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
  // What a machine showed in the last step, and whether its result was taken.
  const MachineOut<Values>& shown(std::size_t box) const { return shown_[box]; }
  bool was_taken(std::size_t box) const { return taken_[box]; }

 private:
  bool all_ready(std::size_t source) const;
  void read_weights(const PipelineIn<Values>& in, PipelineOut<Values>& out,
                    const std::vector<bool>& taken);
  void watch(const PipelineIn<Values>& in, PipelineOut<Values>& out);
  PipelinePlan plan_;
  // Of each box, then of the images, then of each stream of weights.
  std::vector<std::vector<Reader>> readers_;
  std::vector<MachineModel> models_;
  std::vector<MachineIn<Values>> given_;
  std::vector<MachineOut<Values>> shown_;
  std::vector<bool> taken_;
  std::int64_t beat_ = 0;     // of the output, within its frame
  std::int64_t beat_in_ = 0;  // of the input
  bool has_in_error_ = false;
  std::optional<CountersModel> counters_;
  std::optional<WeightReaderModel> weights_;
};

}  // namespace kumiki::gen::pipeline
