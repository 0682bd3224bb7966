// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>

#include "tests/support/circuit.h"

namespace kumiki::gen {
namespace dsl_state_test {

using tests::Circuit;
using Words = Circuit::Words;

TEST(State, RegisterWithEnableResetAndInitialValue) {
  // in: d, enable, reset
  Circuit c({8, 1, 1}, [](Scope& s, const Words& in) -> Words {
    return {reg(s, in[0], {.init = 0xa5, .enable = in[1][0], .reset = in[2][0]}), reg(s, in[0])};
  });
  std::uint64_t held = 0xa5, plain = 0, seed = 1;
  for (int cycle = 0; cycle < 500; ++cycle) {
    seed = seed * 6364136223846793005u + 1;
    std::uint64_t d = seed >> 56, enable = seed >> 40 & 1, reset = (seed >> 44 & 7) == 0;
    auto out = c({d, enable, reset});
    ASSERT_EQ(out[0], held);
    ASSERT_EQ(out[1], plain);
    held = reset ? 0xa5 : enable ? d : held;  // reset beats enable
    plain = d;
  }
}

TEST(State, InitialValueMustFit) {
  Builder b;
  Scope s(b, b.design().add_module("m"));
  EXPECT_THROW(reg(s, s.input<UInt>("a", 4), {.init = 16}), DesignError);
}

// What `f` builds in a module is refused with this.
template <class F>
std::string refusal(F f) {
  Builder b;
  Scope s(b, b.design().add_module("m"));
  try {
    f(s);
    s.finish();
  } catch (const DesignError& e) {
    return e.what();
  }
  return "taken";
}

TEST(State, WhatIsReadAndNeverDrivenNamesItsLine) {
  const auto at = [](int line) {
    return "tests/gen/hdl/state_test.cpp:" + std::to_string(line) + ": ";
  };
  const int line = __LINE__;
  const auto one_register = refusal([](Scope& s) {
    Reg<UInt> sum(s, 12);
    s.output("y", add(s, sum.q(), s.constant(1, 12)));
  });
  const auto two = refusal([](Scope& s) {
    Reg<Net> bit(s);
    Wire<UInt> word(s, 3);
    s.output("y", word);
    s.output("z", bits(s, {bit.q()}));
  });
  // Also where it is read through another wire.
  const auto through_another = refusal([](Scope& s) {
    Wire<Net> first(s), second(s);
    second.drive(first);
    s.output("y", bits(s, {second}));
  });
  EXPECT_EQ(
      one_register,
      at(line + 2) + "a register of 12 bits of module m is read but never driven; call next()");
  EXPECT_EQ(two, at(line + 6) +
                     "a register of 1 bit of module m is read but never driven; call next()\n" +
                     at(line + 7) +
                     "a wire of 3 bits of module m is read but never driven; call drive()");
  EXPECT_EQ(through_another,
            at(line + 13) + "a wire of 1 bit of module m is read but never driven; call drive()");
  // Nobody is asked for what nobody reads.
  EXPECT_EQ(refusal([](Scope& s) {
              Wire<UInt> unused(s, 3);
              Wire<Net> late(s);
              s.output("y", bits(s, {late}));
              late.drive(s.input<UInt>("a", 1)[0]);
            }),
            "taken");
}

TEST(State, FeedbackThroughReg) {
  Circuit c({1}, [](Scope& s, const Words& in) -> Words {
    Reg<UInt> sum(s, 8, {.enable = in[0][0]});
    sum.next(add(s, sum.q(), s.constant(3, 8)));
    return {sum.q()};
  });
  std::uint64_t want = 0;
  for (int cycle = 0; cycle < 300; ++cycle) {
    bool enable = cycle % 3 != 0;
    ASSERT_EQ(c({enable})[0], want);
    if (enable) want = (want + 3) & 255;
  }
}

TEST(State, DelaysOfEveryLengthHoldWhileStalled) {
  for (std::uint32_t cycles :
       {0u, 1u, 2u, 3u, 4u, 16u, 17u, 18u, 32u, 33u, 34u, 35u, 64u, 65u, 66u, 100u}) {
    Circuit c({5, 1}, [&](Scope& s, const Words& in) -> Words {
      return {delay(s, in[0], cycles, in[1][0])};
    });
    std::deque<std::uint64_t> line(cycles, 0);
    std::uint64_t seed = cycles;
    for (int cycle = 0; cycle < 400; ++cycle) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      std::uint64_t d = seed >> 59, enable = (seed >> 33 & 3) != 0;
      ASSERT_EQ(c({d, enable})[0], cycles ? line.front() : d) << cycles << " at " << cycle;
      if (!enable || !cycles) continue;
      line.pop_front();
      line.push_back(d);
    }
  }
}

TEST(State, LongDelaysAreShiftRegisters) {
  auto cost = [](std::uint32_t cycles) {
    return Circuit({8},
                   [&](Scope& s, const Words& in) -> Words { return {delay(s, in[0], cycles)}; })
        .cost();
  };
  EXPECT_EQ(cost(2).ffs, 16u);
  EXPECT_EQ(cost(2).lut_rams, 0u);
  EXPECT_EQ(cost(17).lut_rams, 8u);
  EXPECT_EQ(cost(17).ffs, 8u);
  EXPECT_EQ(cost(65).lut_rams, 16u);
}

TEST(State, CountersOfEveryModulo) {
  for (std::uint64_t modulo : {2u, 3u, 4u, 5u, 7u, 8u, 9u, 100u}) {
    Circuit c({1, 1}, [&](Scope& s, const Words& in) -> Words {
      auto k = counter(s, {.modulo = modulo, .enable = in[0][0], .reset = in[1][0]});
      return {k.value, bits(s, {k.last})};
    });
    std::uint64_t want = 0, seed = modulo;
    for (int cycle = 0; cycle < 500; ++cycle) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      std::uint64_t enable = (seed >> 33 & 7) != 0, reset = (seed >> 40 & 63) == 0;
      auto out = c({enable, reset});
      ASSERT_EQ(out[0], want);
      ASSERT_EQ(out[1], want == modulo - 1);
      want = reset ? 0 : enable ? (want + 1) % modulo : want;
    }
  }
  Builder b;
  Scope s(b, b.design().add_module("m"));
  EXPECT_THROW(counter(s, {.modulo = 1}), DesignError);
}

TEST(State, MachineTakesTheFirstTransitionThatHolds) {
  enum { idle, run, done };
  Circuit c({1, 1, 1}, [](Scope& s, const Words& in) -> Words {
    Fsm f(s, 3, idle, {.reset = in[2][0]});
    f.go(idle, run, in[0][0]);
    f.go(run, done, in[1][0]);
    f.go(run, idle, in[0][0]);
    f.go(done, idle);
    f.finish();
    return {bits(s, {f.in(idle), f.in(run), f.in(done)})};
  });
  int state = idle;
  std::uint64_t seed = 5;
  for (int cycle = 0; cycle < 500; ++cycle) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    bool a = seed >> 33 & 1, b = seed >> 34 & 1, reset = (seed >> 40 & 15) == 0;
    ASSERT_EQ(c({a, b, reset})[0], 1u << state);
    if (reset)
      state = idle;
    else if (state == idle)
      state = a ? run : idle;
    else if (state == run)
      state = b ? done : a ? idle : run;
    else
      state = idle;
  }
}

TEST(Memory, ReadModesContentsAndOldDataOnCollision) {
  using namespace ir::memory;
  for (Read mode : {asynchronous, registered, twice_registered}) {
    Circuit c({1, 4, 8, 1, 4}, [&](Scope& s, const Words& in) -> Words {
      return {Memory{.depth = 13,
                     .width = 8,
                     .style = distributed,
                     .read = mode,
                     .contents = {7, 8, 9},
                     .write_enable = in[0][0],
                     .write_address = in[1],
                     .write_data = in[2],
                     .read_enable = in[3][0],
                     .read_address = in[4]}
                  .add_to(s)};
    });
    std::vector<std::uint64_t> words(16, 0);
    words[0] = 7, words[1] = 8, words[2] = 9;
    std::uint64_t first = 0, second = 0, seed = mode;
    for (int cycle = 0; cycle < 2000; ++cycle) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      std::uint64_t we = seed >> 20 & 1, wa = (seed >> 30) % 13, wd = seed >> 40 & 255,
                    re = (seed >> 50 & 3) != 0, ra = (seed >> 54) % 13;
      auto out = c({we, wa, wd, re, ra});
      ASSERT_EQ(out[0], mode == asynchronous ? words[ra] : mode == registered ? first : second);
      second = first;
      if (re) first = words[ra];
      if (we) words[wa] = wd;
    }
  }
}

}  // namespace dsl_state_test
}  // namespace kumiki::gen
