// SPDX-License-Identifier: Apache-2.0
// Words that go from clk to clk2x and back. A clock has two halves: the first one begins at the
// edge of both clocks, the second one at the edge of clk2x alone. A path from one clock to the
// other has one fast period, or two with `late`.
#pragma once
#include "gen/hdl/bit.h"
#include "gen/hdl/state.h"

namespace kumiki::gen {

enum class Half : std::uint8_t { first, second };

// A word of clk that is read in both halves: it is valid in the second half of its clock and in the
// first half of the next.
template <AnyWord W>
W to_fast(Scope& s, const W& word, SourceLocation here = SourceLocation::current()) {
  const auto fast = s.fast();
  return reg(s, word, {.crossing = ir::Crossing::each}, here);
}

// Two words of clk one after the other: `first` is valid in the second half of their clock,
// `second` in the first half of the next. A LUT selects two bits, by the module's phase register or
// by a copy.
template <AnyWord W>
W to_fast(Scope& s, const W& first, const W& second, Net phase = ir::net_open,
          SourceLocation here = SourceLocation::current()) {
  want_equal_widths("to_fast", first, second, here);
  const auto fast = s.fast();
  if (phase == ir::net_open) phase = s.phase();
  return reg(s, W(Word(s.word(mux(phase, Word(second), Word(first)), here))),
             {.crossing = ir::Crossing::each}, here);
}

// A word of clk with two fast periods to arrive: it is valid during its next clock.
template <AnyWord W>
W to_fast_late(Scope& s, const W& word, SourceLocation here = SourceLocation::current()) {
  const auto fast = s.fast();
  return reg(s, word, {.enable = s.phase(), .crossing = ir::Crossing::second}, here);
}

// Two consecutive words of clk2x as a pair on clk. The first one is valid in the given half, the
// second one in the half after it; the pair comes in the clock after that. If an enable on clk
// holds everything, `fast` is the result of to_fast for this enable.
template <AnyWord W>
struct Halves {
  W first, second;
};
struct Enables {
  Net fast = ir::net_one, slow = ir::net_one;
};
template <AnyWord W>
Halves<W> to_slow(Scope& s, const W& word, Half first = Half::first, const Enables& enable = {},
                  SourceLocation here = SourceLocation::current()) {
  Halves<W> pair{word, word};
  {
    const auto fast = s.fast();
    pair.first = reg(s, word, {.enable = enable.fast}, here);
    if (first == Half::second) {
      pair.second = pair.first;
      pair.first = reg(s, pair.first, {.enable = enable.fast}, here);
    }
  }
  const RegOptions taken{.enable = enable.slow, .crossing = ir::Crossing::each};
  return {reg(s, pair.first, taken, here), reg(s, pair.second, taken, here)};
}

// The word of a second half with two fast periods to arrive: it is valid on clk2x during the next
// clock, and comes on clk in the one after that.
template <AnyWord W>
W to_slow_late(Scope& s, const W& word, SourceLocation here = SourceLocation::current()) {
  W held = word;
  {
    const auto fast = s.fast();
    held = reg(s, word, {.enable = s.phase()}, here);
  }
  return reg(s, held, {.crossing = ir::Crossing::first}, here);
}

}  // namespace kumiki::gen
