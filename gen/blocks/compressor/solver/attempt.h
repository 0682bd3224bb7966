// SPDX-License-Identifier: Apache-2.0
// One attempt to find a tree of a given number of stages: a start, its improvement by CBC, and the
// neighbourhood search from there.
#pragma once
#include <memory>
#include <vector>

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

// With more bits than this, stages with chains are not tried for the shortest delay: one takes as
// long as two stages of LUTs alone, and those quarter a tall heap.
constexpr unsigned tall_heap = 128;

// Sums of up to so many rows are smallest in trees that end in chains, and the next few columns are
// enough to find those.
constexpr unsigned few_rows = 5;

// Columns with bits or pairs.
unsigned columns_of(const Shape& shape);
// Whether those are a few low ones, as of a popcount.
bool is_low(const Shape& shape);
// Whether a tree with few LUTs may be one that ends in chains: of a few words.
bool may_end_in_chains(const TreePlan& request);

// A quick search adds stages while each gains more than one LUT in so many.
constexpr unsigned least_gain = 50;

// What a tree may have: carry chains, and c23, which takes a stage off some wide heaps whose last
// stage is their final adder.
struct Means {
  Chains chains = Chains::any;
  bool has_c23 = false;
  bool is_brief = false;  // a start that takes long is given up sooner
};

// An attempt that is to be made.
struct Sought {
  unsigned stages;
  Means means;
};

class Attempt {
 public:
  bool is_found() const { return !x_.empty(); }
  unsigned stages() const { return model_->stages; }
  // Whether a quick search takes a while to improve it.
  bool is_large() const;
  // Whether its start is nearly as small as what it becomes, and no other kind of tree is looked
  // for: in a quick search, of a tall heap or a small model, where bits are neither so few that a
  // few LUTs decide nor so many that starts are rough.
  bool tells_at_once(const Search& search) const;
  // Looks for a tree with fewer LUTs, unless the tree is proven to be the best. In a quick search
  // `among` attempts together get the work of one.
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
         bound_ = 0;  // of the linear program (0: it was not solved), and of all trees
  bool is_proven_ = false, is_padded_ = false;
};

// With a tree to be undercut, nothing is found where it becomes clear that it will not be.
Attempt attempt(const TreePlan& request, unsigned stages, Search& search, Means means = {},
                const Attempt* undercut = nullptr);

// Those of several that are found, looked for at once. What their linear programs cost is not
// known.
std::vector<Attempt> attempts(const TreePlan& request, const std::vector<Sought>& all,
                              Search& search);

}  // namespace kumiki::gen::compressor
