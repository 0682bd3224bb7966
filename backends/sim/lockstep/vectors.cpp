// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/lockstep/vectors.h"

#include <algorithm>

namespace kumiki::backends {

void VectorRecorder::power_up() {
  model_.power_up();
  vectors_ = {};
}

void VectorRecorder::step(const ir::Frame& in, ir::Frame& out) {
  model_.step(in, out);
  ir::Frame valid(ports_.output_limbs), expected = out;
  for (const auto& p : ports_.outputs)
    for (std::uint32_t i = 0; i < p.width; ++i)
      valid[p.limb + i / 64] |= std::uint64_t{1} << i % 64;
  for (std::size_t l = 0; l < valid.size(); ++l) {
    if (model_.valid_mask()) valid[l] &= (*model_.valid_mask())[l];
    expected[l] &= valid[l];
  }
  vectors_.compared += std::any_of(valid.begin(), valid.end(), [](auto limb) { return limb != 0; });
  vectors_.inputs.push_back(in);
  vectors_.outputs.push_back(std::move(expected));
  vectors_.valid.push_back(std::move(valid));
}

Vectors record_vectors(ir::Machine& model, Stimulus& stimulus, std::uint64_t cycles) {
  stimulus.restart();
  VectorRecorder recorder(model, stimulus.ports());
  recorder.power_up();
  ir::Frame in, out;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    stimulus.next(in);
    recorder.step(in, out);
  }
  return recorder.take();
}

}  // namespace kumiki::backends
