// SPDX-License-Identifier: Apache-2.0
// A column of the matrix without slices: the products of a clock are bits of a heap, a compressor
// tree adds them, and an accumulator adds the clocks of a set. All rows arrive at once. Intended
// for numbers of one or two bits. A number that is only -1 or 1 is a sign, and a product of two
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

// One factor of the products.
struct Factor {
  arith::Format format;  // of the incoming bits
  bool is_sign = false;  // -1 or 1: only its highest bit counts
  int bits() const { return is_sign ? 1 : format.bits; }
  arith::Interval range() const { return is_sign ? arith::Interval{-1, 1} : format.range(); }
  // Defined for any raw value.
  std::int64_t value(std::uint64_t raw) const;
  bool operator==(const Factor&) const = default;
};

struct TreeColumn {
  std::int64_t rows = 1, words = 1;  // products in a clock, clocks in a set
  Factor pixels, weights;
  bool has_border = false;  // words may belong to a border of 0, which no sign can express
  int sum_bits = 1;         // of a set; enough for every sum
  compressor::TreePlan tree;

  bool has_two_signs() const { return pixels.is_sign && weights.is_sign; }
  // The sum of an even number of sign products is even: its lowest bit has no column.
  int shift() const { return has_two_signs() && rows % 2 == 0 ? 1 : 0; }
  // The heap's value if all products are 0. With two signs: rows / 2 if the lowest bit has no
  // column, otherwise rows. Without: 0.
  std::int64_t zero() const;
  int heap_bits() const;
  // Bits that are added in a clock: those of products, and of the total that they are added to.
  std::int64_t added_bits() const;
  // Clocks from a set's last operands to its sum.
  int latency() const;
  // The most levels of logic between registers: a LUT, or eight positions of a carry chain, each
  // count one.
  int levels() const;
  std::string module_name() const;
  bool operator==(const TreeColumn&) const = default;
};

// Adds the tree with the fewest LUTs.
TreeColumn with_tree(TreeColumn column, const ir::Context& context);

struct TreeColumnIn {
  std::vector<Net> first;   // the heap's sum belongs to a set's first clock; empty if a set has one
                            // clock
  std::vector<Net> border;  // the heap's sum belongs to the border; empty without a border
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

// Clocks from the operands to the heap's sum; `first` and `border` come together with that sum.
int latency_of_heap(const TreeColumn& column);

TreeColumnOut build_tree_column(Scope& s, const TreeColumn& column, const TreeColumnIn& in);

}  // namespace kumiki::gen::matrix
