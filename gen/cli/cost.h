// SPDX-License-Identifier: Apache-2.0
// A network on an array, as `cost` reads, computes and reports it.
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

// What every slice does in a cycle of this layer.
double macs_per_slice(const Study& study, const gen::array::Cost& cost);

// layers[].cycles, layers[].input_gbps, total_cycles, …; comparisons and sweeps where the
// configuration has some, beyond when that is asked for.
Json to_json(const Study& study, bool beyond);

}  // namespace kumiki::cli
