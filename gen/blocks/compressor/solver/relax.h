// SPDX-License-Identifier: Apache-2.0
// Relax and fix: a start for trees of any size. The solver gives integers to one part of the tree
// after the other and then fixes it. The following parts are still a linear program, which
// estimates the cost of each choice. Parts are stages in tall heaps, and a few columns from low to
// high in wide ones.
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
  // The columns above a part that are still in its program; 0: all. Choices in a column affect only
  // higher columns, and columns far above hardly matter for them.
  unsigned horizon = 0;
  bool backwards = false;  // the last part first
  unsigned ahead = 0;      // later parts that have integers besides the one to be fixed next
  int nodes = 200;         // of each program
  double gap = 1;
  double gap_part = 0;
  bool cuts = true;
  bool heuristics = true, is_plain = false;  // as of MipLimits
  // If a part has no solution, it is solved again together with the part before it, then with the
  // two parts before it, and so on.
  unsigned steps_back = 0;
  std::uint64_t most_work = std::numeric_limits<std::uint64_t>::max();  // gives up there
  int seed = 1;
  // Perturbs the cost of an element by up to half of this part, at random, so that each seed gives
  // another tree.
  double wrong = 0;
};

// For any program whose integer variables come in parts. `columns`: columns of its variables; only
// needed with a horizon.
std::optional<std::vector<double>> relax_and_fix(const Mip& program,
                                                 std::vector<std::vector<int>> parts,
                                                 const RelaxLimits& limits, Search& search,
                                                 const std::vector<unsigned>& columns = {});

// The perturbation for seeds that only move a search about.
constexpr double slightly = 0.04;

// The program with randomly perturbed costs; variables of the same kind get the same factor.
constexpr std::size_t no_kind = std::numeric_limits<std::size_t>::max();
Mip with_wrong_costs(const Mip& mip, const std::vector<std::size_t>& kinds, double wrong, int seed);

// A solution of the model. Empty if the fixed integers leave no solution.
std::optional<std::vector<double>> relax_and_fix(const TreeModel& model, const RelaxLimits& limits,
                                                 Search& search);

}  // namespace kumiki::gen::compressor
