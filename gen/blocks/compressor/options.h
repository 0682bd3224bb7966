// SPDX-License-Identifier: Apache-2.0
// What whoever wants a compressor tree may choose, and the tree that follows.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/certificate.h"
#include "gen/blocks/compressor/plan.h"
#include "gen/blocks/compressor/solver/solve.h"

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
};

// Who is told how every solver that is started from here gets on, and may stop it.
class Watcher {
 public:
  using Progress = SolveOptions::Progress;
  virtual ~Watcher() = default;
  virtual void begin(const std::string& /*what is looked for*/) {}
  virtual bool progress(const Progress& p) = 0;     // false: stop and keep the best tree so far
  virtual bool pulse() { return true; }             // some ten times a second; false: the same
  virtual bool is_enough() const { return false; }  // stopped before: no more long searches
  virtual void end() {}
};
void watch_solver(Watcher* watcher);  // one for the program; nobody: nullptr

// Where solved trees outlive the program: text for text. What comes back is checked.
class TreeStore {
 public:
  virtual ~TreeStore() = default;
  virtual std::optional<std::string> find(const std::string& request) = 0;
  virtual void keep(const std::string& request, const std::string& tree) = 0;
};
void keep_trees(TreeStore* store);  // one for the program; nowhere: nullptr

// The tree of a shape: one of those that are shipped, or kept, or solved.
TreePlan plan_tree(const Shape& shape, const TreeOptions& options);

// The shipped trees. Nothing: this one has to be solved.
std::optional<TreePlan> shelved(const TreePlan& request);
struct ShelvedTree {
  std::string file;
  TreePlan plan;
};
const std::vector<ShelvedTree>& shelf();

// The plan of a tree for people.
std::string tree_text(const TreePlan& plan);
// What the tree leaves to its final adder, column by column.
arith::Certificate tree_certificate(const TreePlan& plan);

}  // namespace kumiki::gen::compressor
