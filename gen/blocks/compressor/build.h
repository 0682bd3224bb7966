// SPDX-License-Identifier: Apache-2.0
// The netlist of a tree: heap in, sum out.
#pragma once
#include <algorithm>
#include <functional>
#include <span>

#include "gen/blocks/compressor/heap.h"
#include "gen/blocks/compressor/settle.h"
#include "gen/hdl/state.h"

namespace kumiki::gen::compressor {

// Registers behind every `every` levels (the stages, plus one for the final adder) and behind the
// sum; 0: none. `enable` 0 holds all of them.
struct Pipeline {
  unsigned every = 0;
  Net enable = ir::net_one;
  Settled* settled = nullptr;  // of the module, if it has several trees
  // Columns, from low to high, at which carries wait a clock. From each of them on, the heap's bits
  // and the sum are a clock later than below. Requires a register behind every level.
  std::vector<unsigned> cuts = {};
  Settled& or_own(Settled& own) const { return settled ? *settled : own; }
};

// Clocks from the heap's bits to the sum.
unsigned latency(const TreePlan& plan, unsigned every);

// The sum, as many bits as the heap has columns. No column of the heap may have more bits or pairs
// than the plan allows.
UInt compress(Scope& s, const Heap& heap, const TreePlan& plan, const Pipeline& pipeline = {},
              SourceLocation here = SourceLocation::current());

// The two rows that the final adder would add, for callers that add them to something else.
// `latency_of_rows`: the clocks until the rows are valid.
std::vector<std::vector<Bit>> compress_rows(Scope& s, const Heap& heap, const TreePlan& plan,
                                            const Pipeline& pipeline = {},
                                            SourceLocation here = SourceLocation::current());
unsigned latency_of_rows(const TreePlan& plan, unsigned every);

// For a plan that finishes with a carry: only the top bit of the sum.
Net compress_carry(Scope& s, const Heap& heap, const TreePlan& plan, const Pipeline& pipeline = {},
                   SourceLocation here = SourceLocation::current());

namespace detail {

// The bits between two stages.
struct Level {
  std::vector<std::vector<Bit>> bits, pairs, opens;
};
// The parts between the cuts of a pipeline. A net that passes to a higher part waits a clock a cut.
struct Parts {
  std::span<const unsigned> cuts;
  std::function<Net(Net)> wait;  // one clock
  std::ptrdiff_t of(unsigned column) const {
    return std::upper_bound(cuts.begin(), cuts.end(), column) - cuts.begin();
  }
  Net across(Net n, unsigned from, unsigned to) const {
    for (auto part = of(from); part < of(to) && !n.is_constant(); ++part) n = wait(n);
    return n;
  }
};
Level next_level(Scope& s, Level level, const TreePlan& plan, const Stage& stage,
                 const Parts& parts, SourceLocation here);
// The sum of the columns below `end`, and its carry.
struct RowSum {
  std::vector<Net> bits;
  Net carry = ir::net_zero;
};
RowSum add_rows(Scope& s, const Level& level, const TreePlan& plan, unsigned end,
                SourceLocation here);
Net compare(Scope& s, const Level& level, const TreePlan& plan, SourceLocation here);

}  // namespace detail

}  // namespace kumiki::gen::compressor
