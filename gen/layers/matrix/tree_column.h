// SPDX-License-Identifier: Apache-2.0
// A column of the matrix that takes no slice: the products of a clock are bits of a heap, a
// compressor tree adds them, an accumulator adds the clocks of a set. All rows come at once. Made
// for numbers of one bit or two; those that are -1 and 1 alone are a sign, and a product of two
// signs is one XNOR inside the first LUTs of the tree.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/arith/format.h"
#include "gen/blocks/compressor/plan.h"
#include "gen/hdl/hdl.h"
#include "ir/context.h"

namespace kumiki::gen::matrix {

// The factors of products.
struct Factor {
  arith::Format format;  // as it comes
  bool is_sign = false;  // -1 or 1: its highest bit alone counts
  int bits() const { return is_sign ? 1 : format.bits; }
  arith::Interval range() const { return is_sign ? arith::Interval{-1, 1} : format.range(); }
  // Of what comes, whatever it is.
  std::int64_t value(std::uint64_t raw) const;
  bool operator==(const Factor&) const = default;
};

struct TreeColumn {
  std::int64_t rows = 1, words = 1;  // products of a clock, clocks of a set
  Factor pixels, weights;
  bool has_border = false;  // words may be those of a border of 0, which no sign is
  int sum_bits = 1;         // of a set; they hold every sum
  compressor::TreePlan tree;

  bool has_two_signs() const { return pixels.is_sign && weights.is_sign; }
  // The sum of an even number of products of signs is even: its lowest bit has no column.
  int shift() const { return has_two_signs() && rows % 2 == 0 ? 1 : 0; }
  // What the heap has for products that are all 0: half of the rows in ones, or as many.
  std::int64_t zero() const;
  int heap_bits() const;
  // Clocks from a set's last operands to its sum.
  int latency() const;
  // Of logic between registers, at most: a LUT, and eight positions of a carry chain each.
  int levels() const;
  std::string module_name() const;
  bool operator==(const TreeColumn&) const = default;
};

// With the tree of the fewest LUTs.
TreeColumn with_tree(TreeColumn column, const ir::Context& context);

struct TreeColumnIn {
  std::vector<Net> first;   // the heap's sum is that of a set's first clock; none where it has one
  std::vector<Net> border;  // it is one of the border; none where there is no such thing
  std::vector<UInt> pixels, weights;  // [row]
  static constexpr auto ports() {
    return std::tuple(port("first", &TreeColumnIn::first), port("border", &TreeColumnIn::border),
                      port("x", &TreeColumnIn::pixels), port("w", &TreeColumnIn::weights));
  }
};

struct TreeColumnOut {
  UInt sum;
  static constexpr auto ports() { return std::tuple(port("sum", &TreeColumnOut::sum)); }
};

// Clocks from the operands to the heap's sum, beside which `first` and `border` come.
int latency_of_heap(const TreeColumn& column);

TreeColumnOut build_tree_column(Scope& s, const TreeColumn& column, const TreeColumnIn& in);

}  // namespace kumiki::gen::matrix
