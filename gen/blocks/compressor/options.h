// SPDX-License-Identifier: Apache-2.0
// The options of a compressor tree, and the tree for a heap with these options.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/certificate.h"
#include "gen/blocks/compressor/plan.h"
#include "ir/context.h"
#include "ir/delays.h"
#include "ir/primitive.h"

namespace kumiki::gen::compressor {

struct TreeOptions {
  std::uint32_t pipeline = 0;
  // Instead of it: registers where paths require them (registers.h).
  std::optional<std::uint32_t> levels = {};
  std::optional<double> period_ns = {};
  ir::timing::Grade grade = {};
  Objective objective = Objective::stages;
  Finish finish = Finish::row;
  std::uint32_t effort = 1;
  // For the objective delay: no chains before the final adder. An inverted bit on a pin of a chain
  // would need a LUT in front.
  bool only_luts = false;
  ir::Family family = ir::Family::series7;  // its delays count: objective delay, period_ns
  unsigned share = 1;  // trees solved for one layer: together they share the work of one
  // Solves the tree even if it is shipped or stored.
  struct Anew {
    int seed = 1;
    unsigned stages = 0;  // exactly this many; 0: by the objective
  };
  std::optional<Anew> anew = {};
  ir::Context context = {};
};

// The tree of a shape: a shipped one, one from the store, or a newly solved one.
TreePlan plan_tree(const Shape& shape, const TreeOptions& options);

// The shipped tree for a request; empty: it must be solved.
std::optional<TreePlan> shipped(const TreePlan& request);
struct ShippedTree {
  std::string file;
  TreePlan plan;
};
const std::vector<ShippedTree>& shipped_trees();

// The plan of a tree, for people.
std::string tree_text(const TreePlan& plan);
// The rows that the tree leaves to its final adder, column by column.
arith::Certificate tree_certificate(const TreePlan& plan);

}  // namespace kumiki::gen::compressor
