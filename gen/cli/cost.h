// SPDX-License-Identifier: Apache-2.0
// Reads a network on an array for `cost`, computes its figures and reports them.
#pragma once
#include <string>
#include <vector>

#include "gen/cli/command.h"
#include "gen/layer/layer.h"
#include "gen/layers/array/request.h"

namespace kumiki::cli {

struct Study {
  std::string name;
  gen::array::Request request;
  gen::array::Array array;
  std::vector<gen::array::LayerShape> network;
  gen::array::NetworkCost cost;
};

// Products of every slice in a cycle of this layer.
double macs_per_slice(const Study& study, const gen::array::Cost& cost);

// layers[].cycles, layers[].input_gbps, total_cycles, …; comparisons and sweeps if the
// configuration has some, `beyond` if requested.
Json to_json(const Study& study, bool beyond);

}  // namespace kumiki::cli
