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
  unsigned threads = 0;  // 0: one a processor
  unsigned jobs = 0;     // compilers at a time; 0: one a processor
};

// As compute() has it, on machines of so many threads: native takes 64 images at once. Returns the
// clocks of an image. DesignError: a result of the array that is not that of the definition.
std::int64_t compute_on_array(const OnArray& on, std::span<const std::int32_t> images,
                              std::size_t count, std::span<TensorNumbers> wanted,
                              flow::Context& context);

}  // namespace kumiki::flow
