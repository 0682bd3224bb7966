// SPDX-License-Identifier: Apache-2.0
// Sums of words of different widths, weights and signs, with a register after every level. Either
// carry chains add two words at a time; then low bits of one addend bypass the adder, and widths
// follow the values. Or one compressor tree adds all words. The plan takes whichever has fewer
// LUTs.
//
// No carry chain has more than 16 positions. A longer sum is made in *parts* from low to high, each
// a clock after the part below it, through all levels. Words are *staggered* before the first level
// and aligned again after the last one. This takes flip-flops and no LUT.
#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "gen/blocks/compressor/plan.h"
#include "gen/blocks/packing/plan.h"
#include "gen/hdl/chain_parts.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::packing {

// value = (negative ? -1 : 1) * bits * 2^shift, `range` is that of bits as they are read.
struct Addend {
  Word bits;
  bool is_signed = false;
  Interval range;
  int shift = 0;
  bool negative = false;
  bool may_ride = false;  // a single bit of positive weight that may enter on a carry input
  bool flipped = false;   // the sign is the inverse of the top bit; a tree needs no LUT for that

  static Addend of(const UInt& bits);
  static Addend of(const SInt& bits);
  Addend times(std::int64_t coefficient) const;  // plus or minus a power of two
  // The value, shift and sign included.
  Interval value() const;
};

// The addend as a word of `width` bits, modulo 2^width.
UInt to_width(Scope& s, const Addend& a, std::uint32_t width);

// For a sum of `width` bits: the delay of each bit position in clocks. `most`: that of the top bit.
struct Stagger {
  std::uint32_t width = 1;
  Net enable = ir::net_one;
  int most() const { return arith::chain_clocks(static_cast<int>(width)) - 1; }
  int at(int position) const {
    return std::min(position / static_cast<int>(arith::other_part), most());
  }
  // The first position with a longer delay than this one; the width if there is none.
  std::uint32_t part_end(std::uint32_t position) const;
};
Addend unflipped(Scope& s, Addend a);
Addend staggered(Scope& s, Addend a, const Stagger& stagger);
Addend level(Scope& s, Addend a, const Stagger& stagger);
// The bits of a staggered addend from a position on, its sign included.
UInt aligned(Scope& s, const Addend& a, int from, std::uint32_t width, const Stagger& stagger);

// a + b + carry of staggered addends, modulo 2^width; not registered. The carry counts
// 2^(first_position).
int first_position(const Addend& a, const Addend& b);
Addend add(Scope& s, const Addend& a, const Addend& b, Net carry, const Stagger& stagger);

// LUT sites of a sum; flip-flops follow every level.
struct SumSites {
  static constexpr unsigned unfit = std::numeric_limits<unsigned>::max();
  unsigned adders = 0;           // `unfit` if adders need more levels
  std::optional<unsigned> tree;  // nothing: a tree does not fit these levels
  // One LUT less is no gain: an inverted bit may need one LUT more than planned.
  bool on_tree() const { return tree && *tree + 1 < adders; }
  unsigned best() const { return on_tree() ? *tree : adders; }
};

// The form of a sum. It depends on the widths, weights, signs and constants of the addends, not on
// their nets, so equal sums are planned once.
struct SumPlan {
  int levels = 0;
  std::uint32_t width = 1;
  SumSites sites;
  std::optional<compressor::TreePlan> tree;  // nothing: adders
};
SumPlan plan_sum(const std::vector<Addend>& addends, int levels, std::uint32_t width);
// The LUT sites of such a sum. High heaps are counted on the plan of their tree, without a netlist,
// because planners ask for hundreds.
unsigned sites_of_sum(const std::vector<Addend>& addends, int levels, std::uint32_t width);

// The staggered sum of all, in the plan's levels. Adders take words first; single bits enter on the
// carry inputs.
Addend staggered_sum(Scope& s, std::vector<Addend> addends, const SumPlan& plan,
                     const Stagger& stagger);
// The sum, in levels + chain_clocks(width) - 1 clocks.
Addend sum(Scope& s, std::vector<Addend> addends, const SumPlan& plan, Net enable);

// Sums addends that arrive at different times. Many addends of one time are added first, then
// always the two earliest. The sum is staggered. `time_of_sum` computes the time in the same order.
struct Timed {
  Addend addend;
  int time = 0;
};
Timed sum_as_they_come(Scope& s, std::vector<Timed> addends, const Stagger& stagger);

}  // namespace kumiki::gen::packing
