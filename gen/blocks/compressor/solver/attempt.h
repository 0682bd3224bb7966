// SPDX-License-Identifier: Apache-2.0
// One attempt to find a tree with a given number of stages: a start, its improvement by CBC, and
// the neighbourhood search from there.
#pragma once
#include <memory>
#include <vector>

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

// With more bits than this, stages with chains are not tried for the shortest delay. Such a stage
// takes as long as two stages of LUTs only, and those reduce a tall heap to a quarter.
constexpr unsigned tall_heap = 128;

// Sums of up to this many rows are smallest in trees that end in chains. Programs that see only the
// next few columns find these trees.
constexpr unsigned few_rows = 5;

// Columns with bits or pairs.
unsigned columns_of(const Shape& shape);
// Whether these are few and low columns, as in a popcount.
bool is_low(const Shape& shape);
// Whether the tree with the fewest LUTs may end in chains; true for a few words.
bool may_end_in_chains(const TreePlan& request);

// A quick search adds stages while each saves more than 1/`least_gain` of the LUTs.
constexpr unsigned least_gain = 50;

// What a tree may contain: carry chains, and c23. c23 saves a stage in some wide heaps whose last
// stage is their final adder.
struct Means {
  Chains chains = Chains::any;
  bool has_c23 = false;
};

// An attempt to be made.
struct Sought {
  unsigned stages;
  Means means;
};

class Attempt {
 public:
  bool is_found() const { return !x_.empty(); }
  unsigned stages() const { return model_->stages; }
  // Looks for a tree with fewer LUTs, unless this one is proven to be the best. In a quick search,
  // `among` attempts share the work of one.
  void improve(Search& search, unsigned among = 1);
  TreePlan plan() const;
  unsigned plan_luts() const;

 private:
  friend Attempt attempt(const TreePlan&, unsigned, Search&, Means, const Attempt*);
  friend std::vector<Attempt> attempts(const TreePlan&, const std::vector<Sought>&, Search&);
  double cost() const { return model_->mip.cost_of(x_); }
  bool outdoes(double relaxed) const;
  std::vector<double> padded(const Attempt& of);
  std::unique_ptr<TreeModel> model_;
  std::vector<double> x_;
  double relaxed_ = 0,
         bound_ = 0;  // of the linear program (0: not solved), and of all trees
  bool is_proven_ = false, is_padded_ = false;
};

// With `undercut`, the attempt gives up once it is clear that it cannot be cheaper.
Attempt attempt(const TreePlan& request, unsigned stages, Search& search, Means means = {},
                const Attempt* undercut = nullptr);

// Makes several attempts at once and returns those that find a tree. The cost of their linear
// programs is unknown.
std::vector<Attempt> attempts(const TreePlan& request, const std::vector<Sought>& all,
                              Search& search);

}  // namespace kumiki::gen::compressor
