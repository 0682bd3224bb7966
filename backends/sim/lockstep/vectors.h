// SPDX-License-Identifier: Apache-2.0
// Records a model's outputs for a stimulus, for simulators that run without this program.
#pragma once
#include <cstdint>

#include "backends/emit/project/vectors.h"
#include "backends/sim/lockstep/stimulus.h"

namespace kumiki::backends {

// A model that records its inputs and outputs since power-up, for callers that drive it.
class VectorRecorder : public ir::Machine {
 public:
  VectorRecorder(ir::Machine& model, ir::PortLayout ports)
      : model_(model), ports_(std::move(ports)) {}
  void power_up() override;
  void step(const ir::Frame& in, ir::Frame& out) override;
  const ir::Frame* valid_mask() const override { return model_.valid_mask(); }
  Vectors take() { return std::move(vectors_); }

 private:
  ir::Machine& model_;
  ir::PortLayout ports_;
  Vectors vectors_;
};

// Powers up the model and runs the stimulus from its first frame.
Vectors record_vectors(ir::Machine& model, Stimulus& stimulus, std::uint64_t cycles);

}  // namespace kumiki::backends
