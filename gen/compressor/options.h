// SPDX-License-Identifier: Apache-2.0
// What every layer type with a compressor tree lets its user choose, and the tree that follows.
#pragma once
#include <optional>

#include "gen/compressor/plan.h"
#include "gen/compressor/solver/solve.h"
#include "gen/config/table.h"
#include "gen/layer.h"
#include "gen/packing/certificate.h"

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

// The keys of TreeOptions for the table of a request S that is derived from it.
template <class S>
config::FieldOf<S> pipeline_field() {
  return config::field("pipeline", static_cast<std::uint32_t S::*>(&TreeOptions::pipeline))
      .range(0, 64)
      .help("registers behind so many levels of the tree; 0: combinational");
}
template <class S>
config::FieldOf<S> objective_field() {
  return config::field("objective", static_cast<Objective S::*>(&TreeOptions::objective))
      .choices({{"stages", Objective::stages, "as few levels as possible, then few LUTs"},
                {"area", Objective::area, "few LUTs, up to two levels more"},
                {"delay", Objective::delay,
                 "the shortest by an estimate, chains and LUT levels weighed"}})
      .help("what the tree is chosen for");
}
template <class S>
config::FieldOf<S> finish_field() {
  return config::field("finish", static_cast<Finish S::*>(&TreeOptions::finish))
      .choices({{"row", Finish::row, "two rows on a carry chain"},
                {"ternary", Finish::ternary, "three rows: fewer LUTs, slower"}})
      .help("the final adder");
}
template <class S>
config::FieldOf<S> effort_field() {
  return config::field("effort", static_cast<std::uint32_t S::*>(&TreeOptions::effort))
      .range(0, 5)
      .help("how long to look for a smaller tree; the result is the same on every machine");
}

// Plan of a tree for people and programs.
std::string tree_text(const TreePlan& plan);
Json tree_json(const TreePlan& plan);
// What the tree leaves to its final adder, column by column.
packing::Certificate tree_certificate(const TreePlan& plan);

}  // namespace kumiki::gen::compressor
