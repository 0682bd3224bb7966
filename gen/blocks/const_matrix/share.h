// SPDX-License-Identifier: Apache-2.0
// Common subexpressions across rows: pairs of terms that several rows have, shifted alike.
#pragma once
#include "gen/blocks/const_matrix/rows.h"

namespace kumiki::gen::const_matrix {

struct Sharing {
  // LUT sites that a term less saves in a row: `part` of the positions that both terms have, and
  // `more`.
  double part = 0.5, more = 2;
  int arity = 3;   // operands of a chain
  int depth = 99;  // chains one behind the other, at most
  bool operator==(const Sharing&) const = default;
};

// Makes a shared sum of the pair that saves most, as long as one saves something.
Sums share(Sums sums, const Sharing& sharing);

}  // namespace kumiki::gen::const_matrix
