// SPDX-License-Identifier: Apache-2.0
// Cuts a network into units that do not wait for each other: the outputs of a layer that its
// elements compute in one turn, as a layer of their own. Each unit takes its input from the layers
// by definition, so all units can run at the same time on as many machines. Together they take
// every step of the network.
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

// Long units come first: a free machine takes the next one.
std::vector<Unit> units_of(const Program& program);
// The program of one unit, its part of the layer's input, and its part of the layer's result.
Program program_of(const Program& program, const Unit& unit);
Tensor input_of(const Program& program, const Unit& unit, const Tensor& of_layer);
Tensor result_of(const Unit& unit, const Tensor& of_layer);

}  // namespace kumiki::gen::array
