// SPDX-License-Identifier: Apache-2.0
// Relax and fix: a start for trees of any size. One part of the tree after the other gets integers
// and is then fixed, while the parts after it are still a linear program, which estimates the cost
// of each choice. Parts are stages, for tall heaps, or a few columns from low to high, for wide
// ones.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

struct RelaxLimits {
  unsigned columns = 0;  // of a part; 0: a part is a stage
  // So many columns above a part are still in its program; 0: all. What is decided in a column
  // touches higher ones only, and those far above hardly matter for it.
  unsigned horizon = 0;
  bool backwards = false;  // the last part first
  unsigned ahead = 0;      // parts with integers beyond the one that is fixed next
  int nodes = 200;         // of each program
  double gap = 1;
  double gap_part = 0;
  bool cuts = true;
  bool heuristics = true, is_plain = false;  // as of MipLimits
  // Where a part finds no solution, the one before it is solved anew with it, then also the one
  // before that, and so on.
  unsigned steps_back = 0;
  bool is_rescued = false;  // where plain branching finds no solution, heuristics look for one
  std::uint64_t most_work = std::numeric_limits<std::uint64_t>::max();  // gives up there
  int seed = 1;
  // What an element costs is wrong by up to half of this part, at random, so that each seed gives
  // another tree.
  double wrong = 0;
};

// For any program whose integer variables come in parts. `columns`: of its variables, where there
// is a horizon.
std::optional<std::vector<double>> relax_and_fix(const Mip& program,
                                                 std::vector<std::vector<int>> parts,
                                                 const RelaxLimits& limits, Search& search,
                                                 const std::vector<unsigned>& columns = {});

// Where a seed is there to move a search about.
constexpr double slightly = 0.04;

// Costs that are wrong at random, alike for variables of a kind.
constexpr std::size_t no_kind = std::numeric_limits<std::size_t>::max();
Mip with_wrong_costs(const Mip& mip, const std::vector<std::size_t>& kinds, double wrong, int seed);

// A solution of the model. Nothing when the fixed integers leave no solution.
std::optional<std::vector<double>> relax_and_fix(const TreeModel& model, const RelaxLimits& limits,
                                                 Search& search);

}  // namespace kumiki::gen::compressor
