// SPDX-License-Identifier: Apache-2.0
// Small designs whose behaviour is known in integers, with 64 different stimuli at once.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <random>
#include <vector>

#include "backends/sim/native/machine.h"
#include "gen/hdl/hdl.h"

namespace kumiki::backends {
namespace native_circuits_test {

using gen::Builder;
using gen::Scope;
using gen::UInt;
using ir::Net;
using Words = std::vector<UInt>;
using Values = std::array<std::uint64_t, lane_count>;

// Inputs i0, i1, … of these widths, outputs o0, o1, …
class Simulated {
 public:
  Simulated(std::vector<std::uint32_t> widths,
            const std::function<Words(Scope&, const Words&)>& build) {
    Scope scope(builder_, builder_.design().add_module("circuit"));
    Words in;
    for (std::size_t i = 0; i < widths.size(); ++i)
      in.push_back(scope.input<UInt>("i" + std::to_string(i), widths[i]));
    Words out = build(scope, in);
    for (std::size_t i = 0; i < out.size(); ++i) scope.output("o" + std::to_string(i), out[i]);
    scope.finish();
    builder_.design().set_top(scope.module().id());
    simulator_.emplace(builder_.design());
  }

  NativeSimulator* operator->() { return &*simulator_; }

  Values randomise(unsigned input) {
    Values v;
    auto width = (*this)->ports().inputs[input].width;
    for (auto& x : v) x = random() & (width == 64 ? ~std::uint64_t{0} : (1ull << width) - 1);
    simulator_->set_each(input, v);
    return v;
  }
  Values get(unsigned output) {
    Values v;
    simulator_->get_each(output, v);
    return v;
  }
  std::mt19937_64 random{7};

 private:
  Builder builder_;
  std::optional<NativeSimulator> simulator_;
};

TEST(Circuits, CounterWithItsOwnEnableAndResetInEveryLane) {
  Simulated c({1, 1}, [](Scope& s, const Words& in) -> Words {
    auto count = counter(s, {.modulo = 10, .enable = in[0][0], .reset = in[1][0]});
    return {count.value, bits(s, {count.last})};
  });
  Values want{};
  for (int cycle = 0; cycle < 200; ++cycle) {
    auto enable = c.randomise(0), reset = c.randomise(1);
    for (auto& r : reset) r &= c.random() % 8 == 0;
    c->set_each(1, reset);
    auto value = c.get(0), last = c.get(1);
    for (unsigned lane = 0; lane < lane_count; ++lane) {
      ASSERT_EQ(value[lane], want[lane]) << "lane " << lane << ", cycle " << cycle;
      ASSERT_EQ(last[lane], want[lane] == 9);
      if (enable[lane]) want[lane] = (want[lane] + 1) % 10;
      if (reset[lane]) want[lane] = 0;
    }
    c->clock();
  }
}

TEST(Circuits, ShiftRegisterWithFeedbackRunsThroughItsWholePeriod) {
  // x^15 + x^14 + 1 is primitive: all 32767 states but 0.
  Simulated c({1}, [](Scope& s, const Words& in) -> Words {
    gen::Reg<UInt> state(s, 15, {.init = 1, .reset = in[0][0]});
    Net feedback = lut(
        s, [](bool a, bool b) { return a != b; }, state.q()[14], state.q()[13]);
    std::vector<Net> next{feedback};
    for (unsigned i = 0; i < 14; ++i) next.push_back(state.q()[i]);
    state.next(bits(s, next));
    return {state.q()};
  });
  std::uint64_t want = 1;
  for (int cycle = 0; cycle < 32767; ++cycle) {
    ASSERT_EQ(c->get(0, 63), want) << cycle;
    want = ((want << 1) | ((want >> 14 ^ want >> 13) & 1)) & 0x7fff;
    ASSERT_TRUE(want != 1 || cycle == 32766) << cycle;
    c->clock();
  }
  EXPECT_EQ(c->get(0, 0), 1u);
}

TEST(Circuits, AddersOfEveryWidth) {
  for (std::uint32_t width = 1; width <= 63; ++width) {
    Simulated c({width, width}, [](Scope& s, const Words& in) -> Words {
      return {add_wide(s, in[0], in[1]), sub(s, in[0], in[1]), bits(s, {less(s, in[0], in[1])})};
    });
    auto mask = (std::uint64_t{1} << width) - 1;
    for (int n = 0; n < 4; ++n) {
      auto a = c.randomise(0), b = c.randomise(1);
      auto sum = c.get(0), difference = c.get(1), less = c.get(2);
      for (unsigned lane = 0; lane < lane_count; ++lane) {
        ASSERT_EQ(sum[lane], a[lane] + b[lane]) << width;
        ASSERT_EQ(difference[lane], (a[lane] - b[lane]) & mask) << width;
        ASSERT_EQ(less[lane], a[lane] < b[lane]) << width;
      }
    }
  }
}

TEST(Circuits, DelaysWithAndWithoutEnable) {
  for (std::uint32_t cycles : {1u, 2u, 3u, 5u, 16u, 17u, 18u, 33u, 64u, 70u}) {
    Simulated c({7, 1}, [&](Scope& s, const Words& in) -> Words {
      return {delay(s, in[0], cycles), delay(s, in[0], cycles, in[1][0])};
    });
    std::vector<std::deque<std::uint64_t>> free(lane_count), held(lane_count);
    for (auto* lines : {&free, &held})
      for (auto& line : *lines) line.assign(cycles, 0);
    for (int cycle = 0; cycle < 200; ++cycle) {
      auto d = c.randomise(0), enable = c.randomise(1);
      auto out = c.get(0), stalled = c.get(1);
      for (unsigned lane = 0; lane < lane_count; ++lane) {
        ASSERT_EQ(out[lane], free[lane].front()) << cycles << " in cycle " << cycle;
        ASSERT_EQ(stalled[lane], held[lane].front()) << cycles << " in cycle " << cycle;
        free[lane].push_back(d[lane]), free[lane].pop_front();
        if (enable[lane]) held[lane].push_back(d[lane]), held[lane].pop_front();
      }
      c->clock();
    }
  }
}

TEST(Circuits, MemoriesOfAllReadModes) {
  using namespace ir::memory;
  for (auto read : {asynchronous, registered, twice_registered}) {
    constexpr std::uint32_t depth = 20, width = 11;
    std::vector<std::uint64_t> initial;
    for (std::uint32_t i = 0; i < depth - 3; ++i) initial.push_back(i * 97 & 0x7ff);
    Simulated c({1, 5, 11, 1, 5}, [&](Scope& s, const Words& in) -> Words {
      return {gen::Memory{.depth = depth,
                          .width = width,
                          .style = distributed,
                          .read = read,
                          .contents = initial,
                          .write_enable = in[0][0],
                          .write_address = in[1],
                          .write_data = in[2],
                          .read_enable = in[3][0],
                          .read_address = in[4]}
                  .add_to(s)};
    });
    initial.resize(depth);
    std::vector<std::vector<std::uint64_t>> words(lane_count, initial);
    Values first{}, second{};
    for (int cycle = 0; cycle < 300; ++cycle) {
      auto write = c.randomise(0), to = c.randomise(1), data = c.randomise(2),
           enable = c.randomise(3), from = c.randomise(4);
      auto out = c.get(0);
      for (unsigned lane = 0; lane < lane_count; ++lane) {
        auto now = from[lane] < depth ? words[lane][from[lane]] : 0;
        ASSERT_EQ(out[lane], read == asynchronous ? now
                             : read == registered ? first[lane]
                                                  : second[lane])
            << "read mode " << read << ", cycle " << cycle;
        second[lane] = first[lane];
        if (enable[lane]) first[lane] = now;
        if (write[lane] && to[lane] < depth) words[lane][to[lane]] = data[lane];
      }
      c->clock();
    }
  }
}

TEST(Circuits, RegistersThatFeedEachOtherMoveAtOnce) {
  // A ring of three, a pair that swaps, a chain behind the ring, a register on itself.
  Simulated c({1}, [](Scope& s, const Words& in) -> Words {
    gen::Reg<Net> a(s, {.init = 1}), b(s), d(s), x(s, {.init = 1}), y(s), self(s, {.init = 1});
    a.next(d.q()), b.next(a.q()), d.next(b.q());
    x.next(y.q()), y.next(x.q());
    self.next(self.q());
    Net first = gen::reg(s, b.q()), second = gen::reg(s, first), third = gen::reg(s, second);
    Net held = gen::reg(s, in[0][0], {.enable = a.q()});
    Net cleared = gen::reg(s, in[0][0], {.init = 1, .reset = x.q()});
    return {bits(s, {a.q(), b.q(), d.q()}), bits(s, {x.q(), y.q(), self.q()}),
            bits(s, {first, second, third}), bits(s, {held, cleared})};
  });
  bool a = true, b = false, d = false, x = true, y = false, f = false, g = false, h = false;
  bool held = false, cleared = true;
  for (int cycle = 0; cycle < 50; ++cycle) {
    bool in = c.random() % 2;
    c->set_all(0, in);
    ASSERT_EQ(c->get(0, 5), a + 2u * b + 4u * d) << cycle;
    ASSERT_EQ(c->get(1, 5), x + 2u * y + 4u) << cycle;
    ASSERT_EQ(c->get(2, 5), f + 2u * g + 4u * h) << cycle;
    ASSERT_EQ(c->get(3, 5), held + 2u * cleared) << cycle;
    if (a) held = in;
    cleared = x ? true : in;  // a reset loads the initial value
    h = g, g = f, f = b;
    bool old = d;
    d = b, b = a, a = old;
    std::swap(x, y);
    c->clock();
  }
}

TEST(Circuits, PowerUpRestoresEveryKindOfState) {
  Simulated c({8}, [](Scope& s, const Words& in) -> Words {
    auto memory = gen::Memory{.depth = 16,
                              .width = 8,
                              .contents = {1, 2, 3, 4},
                              .write_enable = ir::net_one,
                              .write_address = in[0].slice(0, 4),
                              .write_data = in[0],
                              .read_address = in[0].slice(0, 4)}
                      .add_to(s);
    // A shift register that starts with ones and zeros in turn, read at its seventh place.
    std::array<std::uint64_t, 2> init{0x5555, 0};
    UInt shifted(s.run(s.cell(ir::Kind::srl16e, 1,
                              std::array{ir::net_zero, ir::net_one, ir::net_one, ir::net_zero,
                                         ir::net_one, s.clk(), in[0][0]},
                              init, {}),
                       1, {}));
    return {gen::reg(s, in[0], {.init = 0x5a}),
            gen::delay(s, in[0], 9),
            gen::delay(s, in[0], 9, in[0][3]),
            memory,
            shifted,
            in[0]};
  });
  auto run = [&] {
    std::vector<Values> seen;
    std::mt19937_64 random(3);
    for (int cycle = 0; cycle < 40; ++cycle) {
      Values v;
      for (auto& x : v) x = random() & 0xff;
      c->set_each(0, v);
      for (unsigned o = 0; o < 6; ++o) seen.push_back(c.get(o));
      c->clock();
    }
    return seen;
  };
  auto first = run();
  c->power_up();
  EXPECT_EQ(c->get(0, 0), 0x5au);
  EXPECT_EQ(c->get(5, 3), 0u);
  EXPECT_EQ(run(), first);
}

TEST(Circuits, WidePortsTravelInFrames) {
  Builder builder;
  Scope s(builder, builder.design().add_module("wide"));
  auto a = s.input<UInt>("a", 130), b = s.input<UInt>("b", 3);
  s.output("o", gen::reg(s, lut(
                                s, [](bool x) { return !x; }, a)));
  s.output("p", b);
  s.finish();
  builder.design().set_top(s.module().id());
  NativeMachines machines(builder.design());
  std::mt19937_64 random(4);
  std::vector<ir::Frame> in(50, ir::Frame(4)), out(50), before;
  for (int cycle = 0; cycle < 20; ++cycle) {
    for (auto& frame : in) frame = {random(), random(), random() & 3, random() & 7};
    machines.step(in, out);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i].size(), 4u);
      ASSERT_EQ(out[i][3], in[i][3]);
      if (cycle == 0) continue;
      ASSERT_EQ(out[i][0], ~before[i][0]);
      ASSERT_EQ(out[i][1], ~before[i][1]);
      ASSERT_EQ(out[i][2], ~before[i][2] & 3);
    }
    before = in;
  }
  auto& simulator = machines.simulator();
  EXPECT_THROW(simulator.set_all(0, 1), DesignError);
  EXPECT_THROW(simulator.get(0, 0), DesignError);
  EXPECT_THROW(simulator.set_frames(std::vector<ir::Frame>(65, ir::Frame(4))), DesignError);
  EXPECT_THROW(simulator.input("o"), DesignError);
  EXPECT_EQ(simulator.output("p"), 1u);
}

TEST(Circuits, LanesDoNotSeeEachOther) {
  auto build = [](Scope& s, const Words& in) -> Words {
    auto memory = gen::Memory{.depth = 8,
                              .width = 4,
                              .write_enable = in[0][3],
                              .write_address = in[0].slice(0, 3),
                              .write_data = in[1],
                              .read_address = in[1].slice(0, 3)}
                      .add_to(s);
    gen::Reg<UInt> sum(s, 4, {.enable = in[1][0], .reset = in[0][0]});
    sum.next(add(s, sum.q(), add(s, in[0], in[1])));
    return {gen::delay(s, sum.q(), 5, in[1][1]), memory};
  };
  // Whatever the other lanes do, lane 17 sees the same.
  auto watch = [&](unsigned seed) {
    Simulated c({4, 4}, build);
    std::mt19937_64 watched(1), others(seed);
    std::vector<std::uint64_t> seen;
    for (int cycle = 0; cycle < 100; ++cycle) {
      for (unsigned input = 0; input < 2; ++input) {
        Values v;
        for (auto& x : v) x = others() & 15;
        v[17] = watched() & 15;
        c->set_each(input, v);
      }
      seen.push_back(c->get(0, 17) | c->get(1, 17) << 8);
      c->clock();
    }
    return seen;
  };
  EXPECT_EQ(watch(1), watch(2));
}

}  // namespace native_circuits_test
}  // namespace kumiki::backends
