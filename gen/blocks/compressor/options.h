// SPDX-License-Identifier: Apache-2.0
// What whoever wants a compressor tree may choose, and the tree that follows.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/certificate.h"
#include "gen/blocks/compressor/plan.h"
#include "ir/context.h"

namespace kumiki::gen::compressor {

struct TreeOptions {
  std::uint32_t pipeline = 0;
  Objective objective = Objective::stages;
  Finish finish = Finish::row;
  std::uint32_t effort = 1;
  // For the objective delay: where bits are inverted, a pin of a chain would want a LUT before it.
  bool only_luts = false;
  unsigned share = 1;  // trees that are solved for one layer: together they take as long as one
  // Solved whatever is shipped or kept.
  struct Anew {
    int seed = 1;
    unsigned stages = 0;  // exactly so many; 0: as the objective says
  };
  std::optional<Anew> anew = {};
  ir::Context context = {};
};

// The tree of a shape: one of those that are shipped, or kept, or solved.
TreePlan plan_tree(const Shape& shape, const TreeOptions& options);

// The shipped trees. Nothing: this one has to be solved.
std::optional<TreePlan> shipped(const TreePlan& request);
struct ShippedTree {
  std::string file;
  TreePlan plan;
};
const std::vector<ShippedTree>& shipped_trees();

// The plan of a tree for people.
std::string tree_text(const TreePlan& plan);
// What the tree leaves to its final adder, column by column.
arith::Certificate tree_certificate(const TreePlan& plan);

}  // namespace kumiki::gen::compressor
