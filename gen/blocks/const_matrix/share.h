// SPDX-License-Identifier: Apache-2.0
// Common subexpressions across rows: pairs of terms that occur in several rows with the same shift.
#pragma once
#include "gen/blocks/const_matrix/rows.h"

namespace kumiki::gen::const_matrix {

struct Sharing {
  // LUT sites that a row saves by one term less: `part` of the positions that both terms have, plus
  // `more`.
  double part = 0.5, more = 2;
  int arity = 3;                    // operands of a chain
  int depth = depth_without_limit;  // most chains in sequence
  std::uint64_t seed = 0;           // other than 0: savings are weighted by up to 1.5 at random
  bool operator==(const Sharing&) const = default;
};

// Makes a shared sum of the pair that saves most, while any pair saves something. Sums that are
// shared already are searched for pairs, too.
Sums share(Sums sums, const Sharing& sharing);

}  // namespace kumiki::gen::const_matrix
