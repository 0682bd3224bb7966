// SPDX-License-Identifier: Apache-2.0
// Images through a network on the netlist of an array, or on its model.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gen/flow/context.h"
#include "gen/flow/trained/results.h"
#include "gen/layers/array/program.h"

namespace kumiki::flow {

struct OnArray {
  const gen::array::Program& program;  // with a lowering
  std::string machine;                 // model, native or verilator
  ir::Family family = ir::Family::ultrascale_plus;
  unsigned threads = 0;  // 0: one for each processor
  unsigned jobs = 0;     // concurrent compilers; 0: one for each processor
};

// As compute(), on machines in so many threads: native runs 64 images at once. Returns the clocks
// of an image. DesignError: a result of the array differs from the definition.
std::int64_t compute_on_array(const OnArray& on, std::span<const std::int32_t> images,
                              std::size_t count, std::span<TensorNumbers> wanted,
                              flow::Context& context);

}  // namespace kumiki::flow
