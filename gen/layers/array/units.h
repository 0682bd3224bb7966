// SPDX-License-Identifier: Apache-2.0
// A network cut in units that do not wait for each other: the outputs of a layer that its elements
// work on in one turn, as a layer of their own. Each takes its input from the layers by definition,
// so all can run at the same time on as many machines of the array; together they take every step
// of the network.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "gen/layers/array/program.h"

namespace kumiki::gen::array {

struct Unit {
  std::size_t layer;          // of the program
  std::int64_t first, count;  // outputs of the layer
  std::int64_t steps;
};

// Long ones first: whoever is free takes the next.
std::vector<Unit> units_of(const Program& program);
// The program of a unit alone, its part of a layer's input, and of a layer's result.
Program program_of(const Program& program, const Unit& unit);
Tensor input_of(const Program& program, const Unit& unit, const Tensor& of_layer);
Tensor result_of(const Unit& unit, const Tensor& of_layer);

}  // namespace kumiki::gen::array
