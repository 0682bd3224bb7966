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
    ir::Frame care(ports.output_limbs);
    for (const auto& p : ports.outputs)
      for (std::uint32_t i = 0; i < p.width; ++i)
        care[p.limb + i / 64] |= std::uint64_t{1} << i % 64;
    for (std::size_t l = 0; l < care.size(); ++l) {
      if (model.care()) care[l] &= (*model.care())[l];
      out[l] &= care[l];
    }
    v.compared += std::any_of(care.begin(), care.end(), [](auto limb) { return limb != 0; });
    v.inputs.push_back(in);
    v.outputs.push_back(out);
    v.care.push_back(std::move(care));
  }
  return v;
}

}  // namespace kumiki::backends
