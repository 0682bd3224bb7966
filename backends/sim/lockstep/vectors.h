// SPDX-License-Identifier: Apache-2.0
// What a model answers to a stimulus, kept for simulators that run without us.
#pragma once
#include <cstdint>

#include "backends/emit/project/vectors.h"
#include "backends/sim/lockstep/stimulus.h"

namespace kumiki::backends {

// A model that keeps what goes in and out since power-up, for those who drive it themselves.
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

// Runs the model from power-up and the stimulus from its first frame.
Vectors record_vectors(ir::Machine& model, Stimulus& stimulus, std::uint64_t cycles);

}  // namespace kumiki::backends
