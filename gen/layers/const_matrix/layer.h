// SPDX-License-Identifier: Apache-2.0
// The layer type "const_matrix".
#pragma once
#include "gen/blocks/compressor/datapath.h"
#include "gen/layer/type.h"
#include "gen/layers/const_matrix/request.h"

namespace kumiki::gen::const_matrix {

// The planned layer.
struct Plan {
  Task task;
  Solution solution;
  ir::Family family = ir::Family::ultrascale_plus;
  std::uint64_t luts = 0, ffs = 0;  // sites, counted in the netlist

  compressor::Datapath datapath() const;
  int chains() const;
  int tables() const;
  int levels() const;  // between registers, including carry blocks
  bool operator==(const Plan&) const = default;
};

// Throws config::Refusal.
Plan plan(const Request& request, const config::Target& target);
std::unique_ptr<Layer> make_layer(Plan plan);
std::unique_ptr<Layer> make_layer(const Request& request, const config::Target& target = {});
config::LayerType layer_type();

}  // namespace kumiki::gen::const_matrix
