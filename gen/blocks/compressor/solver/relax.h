// SPDX-License-Identifier: Apache-2.0
// Relax and fix: a start for trees of any size. One part of the tree after the other gets whole
// numbers while what lies behind it is still a linear program, which says what each choice will
// cost; then the part is fixed. Parts are stages, for tall heaps, or a few columns from low to
// high, for wide ones.
#pragma once
#include <optional>
#include <vector>

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

struct RelaxLimits {
  unsigned columns = 0;    // of a part; 0: a part is a stage
  bool backwards = false;  // the last part first
  unsigned ahead = 0;      // parts with whole numbers beyond the one that is fixed next
  int nodes = 200;         // of each program
  double gap = 1;
  double gap_part = 0;
  bool cuts = true;
  bool is_plain = false;  // as of MipLimits
  int seed = 1;           // beyond 1: costs are a little wrong, so that each gives another tree
};

// Of any program whose integer variables come in parts.
std::optional<std::vector<double>> relax_and_fix(Mip mip, std::vector<std::vector<int>> parts,
                                                 const RelaxLimits& limits, Search& search);

// A solution of the model; nothing where the numbers that were fixed leave none.
std::optional<std::vector<double>> relax_and_fix(const TreeModel& model, const RelaxLimits& limits,
                                                 Search& search);

}  // namespace kumiki::gen::compressor
