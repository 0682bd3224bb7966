// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/lockstep/vectors.h"

namespace kumiki::backends {

Vectors record_vectors(ir::Machine& model, Stimulus& stimulus, std::uint64_t cycles) {
  stimulus.restart();
  model.power_up();
  Vectors v;
  const auto& ports = stimulus.ports();
  ir::Frame in, out;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    stimulus.next(in);
    model.step(in, out);
    ir::Frame valid(ports.output_limbs);
    for (const auto& p : ports.outputs)
      for (std::uint32_t i = 0; i < p.width; ++i)
        valid[p.limb + i / 64] |= std::uint64_t{1} << i % 64;
    for (std::size_t l = 0; l < valid.size(); ++l) {
      if (model.valid_mask()) valid[l] &= (*model.valid_mask())[l];
      out[l] &= valid[l];
    }
    v.compared += std::any_of(valid.begin(), valid.end(), [](auto limb) { return limb != 0; });
    v.inputs.push_back(in);
    v.outputs.push_back(out);
    v.valid.push_back(std::move(valid));
  }
  return v;
}

}  // namespace kumiki::backends
