// SPDX-License-Identifier: Apache-2.0
// The simulator against the table kernels evaluated one cell after the other.
#pragma once
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "backends/sim/native/machine.h"
#include "tests/support/reference_machine.h"

namespace kumiki::backends {

// A frame of random bits; now and then all zeros or all ones of a port.
inline ir::Frame random_frame(const ir::PortLayout& ports, std::mt19937_64& random) {
  ir::Frame frame(ports.input_limbs);
  for (auto& port : ports.inputs) {
    auto dice = random() % 8;
    for (std::uint32_t l = 0; l < port.limbs(); ++l) {
      auto value = dice == 0 ? 0 : dice == 1 ? ~std::uint64_t{0} : random();
      frame[port.limb + l] = value >> (64 - std::min(64u, port.width - 64 * l));
    }
  }
  return frame;
}

// Different random stimuli in `machines` lanes, every output in every cycle.
inline void compare_with_reference(const ir::Design& design, int cycles, unsigned seed,
                                   NativeOptions options = {}, std::size_t machines = 4) {
  NativeMachines native(design, options);
  std::mt19937_64 random(seed);
  std::vector<tests::ReferenceMachine> references(machines, tests::ReferenceMachine(design));
  std::vector<ir::Frame> in(machines), out(machines);
  for (int cycle = 0; cycle < cycles; ++cycle) {
    for (auto& frame : in) frame = random_frame(native.simulator().ports(), random);
    native.step(in, out);
    for (std::size_t i = 0; i < machines; ++i) {
      ir::Frame want;
      references[i].step(in[i], want);
      ASSERT_EQ(out[i], want) << "cycle " << cycle << ", machine " << i << ", seed " << seed;
    }
  }
}

}  // namespace kumiki::backends
