// SPDX-License-Identifier: Apache-2.0
// Crossings between clk and clk2x, with waveforms worked by hand. A model here steps in halves of a
// clock and is written from crossing.h, not from the netlist.
#include "gen/hdl/crossing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/sim/native/machine.h"
#include "gen/hdl/hdl.h"
#include "ir/check.h"
#include "ir/text.h"

namespace kumiki::gen {
namespace dsl_crossing_test {

using ::testing::ElementsAre;

// A module with two inputs of eight bits and one output.
class TwoClocks {
 public:
  template <class Build>
  explicit TwoClocks(Build build) : scope_(builder_, builder_.design().add_module("m")) {
    const auto a = scope_.input<UInt>("a", 8), b = scope_.input<UInt>("b", 8);
    scope_.output("y", build(scope_, a, b));
    scope_.finish();
    builder_.design().set_top(scope_.module().id());
    ir::require_legal(builder_.design());
  }
  // y in every clock, for a = 1, 2, 3, … and b = 101, 102, …
  std::vector<std::uint64_t> run(unsigned clocks) {
    backends::NativeMachine machine(builder_.design());
    machine.power_up();
    std::vector<std::uint64_t> all;
    ir::Frame out;
    for (std::uint64_t t = 1; t <= clocks; ++t) {
      machine.step({t & 255, (100 + t) & 255}, out);
      all.push_back(out[0]);
    }
    return all;
  }
  ir::Cost cost() const {
    ir::Cost sum;
    for (const ir::Cell& c : module().cells()) sum += ir::prototype(c.kind).cost(module().view(c));
    return sum;
  }
  const ir::Module& module() const { return builder_.design().top(); }

 private:
  Builder builder_;
  Scope scope_;
};

UInt fast_regs(Scope& s, UInt word, unsigned count) {
  const auto fast = s.fast();
  for (unsigned i = 0; i < count; ++i) word = reg(s, word);
  return word;
}

TEST(Crossing, AWordIsReadInBothHalves) {
  // to_fast: in the second half of its clock; to_slow takes the second half: the next clock has it.
  TwoClocks direct(
      [](Scope& s, const UInt& a, const UInt&) { return to_slow(s, to_fast(s, a)).second; });
  EXPECT_THAT(direct.run(5), ElementsAre(0, 1, 2, 3, 4));
  // Its first half shows the word of the clock before.
  TwoClocks first(
      [](Scope& s, const UInt& a, const UInt&) { return to_slow(s, to_fast(s, a)).first; });
  EXPECT_THAT(first.run(5), ElementsAre(0, 0, 1, 2, 3));
  // Two registers on clk2x are one clock.
  TwoClocks later([](Scope& s, const UInt& a, const UInt&) {
    return to_slow(s, fast_regs(s, to_fast(s, a), 2)).second;
  });
  EXPECT_THAT(later.run(5), ElementsAre(0, 0, 1, 2, 3));
}

TEST(Crossing, APairGoesThereAndBack) {
  // a stands in the second half of its clock, b in the first half of the next.
  for (unsigned regs : {0u, 1u, 2u, 3u, 4u, 7u}) {
    const Half half = regs % 2 == 0 ? Half::second : Half::first;
    for (const bool second : {false, true}) {
      TwoClocks c([&](Scope& s, const UInt& a, const UInt& b) {
        const auto pair = to_slow(s, fast_regs(s, to_fast(s, a, b), regs), half);
        return second ? pair.second : pair.first;
      });
      // 0 registers: both halves are over after one clock more, the pair comes in the next.
      const unsigned late = regs % 2 == 0 ? regs / 2 + 2 : (regs + 1) / 2 + 1;
      const auto got = c.run(12);
      for (unsigned t = late; t < got.size(); ++t)
        EXPECT_EQ(got[t], (second ? 101u : 1u) + t - late) << regs << " " << second;
    }
  }
}

TEST(Crossing, TheWrongHalfGivesTheOtherWord) {
  TwoClocks c([](Scope& s, const UInt& a, const UInt& b) {
    return to_slow(s, to_fast(s, a, b), Half::first).first;
  });
  EXPECT_THAT(c.run(5), ElementsAre(0, 0, 101, 102, 103));
}

TEST(Crossing, LateWordsHaveTwoFastPeriods) {
  TwoClocks there(
      [](Scope& s, const UInt& a, const UInt&) { return to_slow(s, to_fast_late(s, a)).second; });
  EXPECT_THAT(there.run(5), ElementsAre(0, 0, 1, 2, 3));
  TwoClocks back(
      [](Scope& s, const UInt& a, const UInt&) { return to_slow_late(s, to_fast(s, a)); });
  EXPECT_THAT(back.run(5), ElementsAre(0, 0, 1, 2, 3));
  EXPECT_NE(ir::print(there.module()).find("CROSSING=second"), std::string::npos);
  EXPECT_NE(ir::print(back.module()).find("CROSSING=first"), std::string::npos);
}

TEST(Crossing, ThePhaseRegisterIsMadeOnceAndIsRight) {
  TwoClocks c([](Scope& s, const UInt& a, const UInt& b) {
    const Net phase = s.phase(), first = s.first_half();
    EXPECT_EQ(phase, s.phase());
    EXPECT_NE(phase, s.phase_copy());
    UInt seen;
    {
      const auto fast = s.fast();
      seen = reg(s, bits(s, {phase, first}));
    }
    const auto pair = to_slow(s, bits(s, {phase, first}));
    return cat(s, {pair.first, pair.second, UInt(seen.slice(0, 0)),
                   to_slow(s, to_fast(s, a, b)).first.slice(0, 4)})
        .slice(0, 8);
  });
  // phase is 0 and first 1 in first halves, 1 and 0 in second ones: 10, then 01, above the word.
  const auto got = c.run(6);
  for (std::size_t t = 1; t < got.size(); ++t) EXPECT_EQ(got[t] >> 4, 0b1001u) << t;
  std::size_t toggles = 0;
  for (const ir::Cell& cell : c.module().cells()) toggles += cell.kind == ir::Kind::lut1;
  EXPECT_EQ(toggles, 1u);
}

TEST(Crossing, APairCostsALutForTwoBits) {
  TwoClocks c(
      [](Scope& s, const UInt& a, const UInt& b) { return to_slow(s, to_fast(s, a, b)).first; });
  // Eight bits in four LUTs; the phase register has two of its own.
  EXPECT_EQ(c.cost().luts, 4u + 2u);
}

// A counter of one clock as a module, placed on the fast one: it counts to two in a clock.
struct CountPlan {
  std::string module_name() const { return "count"; }
  bool operator==(const CountPlan&) const = default;
};
template <class R>
struct CountPorts {
  typename R::UInt value;
  static constexpr auto ports() { return std::tuple(port("value", &CountPorts::value)); }
};
template <class R>
struct StepPorts {
  typename R::UInt by;
  static constexpr auto ports() { return std::tuple(port("by", &StepPorts::by)); }
};
CountPorts<Hardware> count(Scope& s, const CountPlan&, const StepPorts<Hardware>& in) {
  Reg<UInt> value(s, 8);
  value.next(add(s, value.q(), in.by));
  return {value.q()};
}

TEST(Crossing, AModuleOfOneClockOnTheFastOne) {
  TwoClocks c([](Scope& s, const UInt&, const UInt&) {
    UInt slow = instantiate(s, count, CountPlan{}, {s.constant(1, 8)}).value, fast;
    {
      const auto on_fast = s.fast();
      fast = instantiate(s, count, CountPlan{}, {s.constant(1, 8)}).value;
    }
    return cat(s, {to_slow(s, fast).second.slice(0, 5), slow.slice(0, 3)});
  });
  // Fast counts 1, 3, 5, … in the second halves; slow 0, 1, 2, … at the same time.
  EXPECT_THAT(c.run(5), ElementsAre(0 << 3 | 0, 1 << 3 | 1, 3 << 3 | 2, 5 << 3 | 3, 7 << 3 | 4));
}

}  // namespace dsl_crossing_test
}  // namespace kumiki::gen
