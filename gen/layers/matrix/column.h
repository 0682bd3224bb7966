// SPDX-License-Identifier: Apache-2.0
// One column of the matrix as a module: a packed dot product with external control. It runs in
// every clock; sums of other than operands are never read.
#pragma once
#include <optional>

#include "gen/blocks/packing/plan.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::matrix {

struct ColumnPlan {
  packing::PackingPlan packing;
  std::optional<int> most_bits;  // of a result; nobody reads the bits above
  std::string module_name() const;
  bool operator==(const ColumnPlan&) const = default;
};

struct ColumnIn {
  std::vector<Net> sequence;  // first, last, first_round; empty if a set takes one clock
  std::vector<UInt> x, y;     // [operand * rows + row], each row with the skew of its slice
  static constexpr auto ports() {
    return std::tuple(port("phase", &ColumnIn::sequence), port("x", &ColumnIn::x),
                      port("y", &ColumnIn::y));
  }
};

struct ColumnOut {
  std::vector<UInt> sum;
  static constexpr auto ports() { return std::tuple(port("sum", &ColumnOut::sum)); }
};

ColumnOut build_column(Scope& s, const ColumnPlan& plan, const ColumnIn& in);

}  // namespace kumiki::gen::matrix
