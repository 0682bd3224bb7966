// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <random>

#include "ir/check.h"
#include "ir/text.h"
#include "tests/support/circuit.h"
#include "tests/support/refusal.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace dsl_bit_test {

using testing::HasSubstr;
using tests::Circuit;
using Words = Circuit::Words;
using Random = std::mt19937_64;

// Levels of LUTs in front of every output; everything else in these modules is a register.
std::vector<int> levels(const ir::Module& m) {
  std::map<ir::Net, const ir::Cell*> driver;
  for (const ir::Cell& c : m.cells())
    if (c.kind >= ir::Kind::lut1 && c.kind <= ir::Kind::lut6) driver[c.out] = &c;
  std::map<ir::Net, int> known;
  const auto level = [&](auto& self, ir::Net n) -> int {
    if (!driver.contains(n)) return 0;
    if (const auto at = known.find(n); at != known.end()) return at->second;
    int most = 0;
    for (const ir::Net in : m.inputs(*driver.at(n))) most = std::max(most, self(self, in));
    return known[n] = most + 1;
  };
  std::vector<int> all;
  for (const ir::Port& p : m.ports())
    if (p.direction == ir::Direction::output)
      for (const ir::Net n : m.port_nets(p)) all.push_back(level(level, n));
  return all;
}

// What one expression over a word of inputs costs.
struct Size {
  unsigned luts;
  int levels;
  bool operator==(const Size&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Size& s) {
  return out << s.luts << " LUTs, " << s.levels << " levels";
}
template <class F>
Size size(std::uint32_t inputs, F f) {
  const Circuit c({inputs},
                  [&](Scope& s, const Words& in) -> Words { return {bits(s, {s.net(f(in[0]))})}; });
  return {c.cost().luts, levels(c.module())[0]};
}

// f(x) as it may be written: the choice by an input, as a mux, as its parts, as a difference.
Bit written(Random& random, std::uint64_t table, unsigned inputs, const UInt& x) {
  if (inputs == 0) return ir::constant(table & 1);
  const unsigned half = 1u << (inputs - 1);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const Net top = x[inputs - 1];
  const Bit zero = written(random, table & mask, inputs - 1, x);
  switch (random() % 4) {
    case 0:
      return mux(top, written(random, table >> half & mask, inputs - 1, x), zero);
    case 1:
      return (top & written(random, table >> half & mask, inputs - 1, x)) | (~top & zero);
    case 2:
      return ~((~written(random, table >> half & mask, inputs - 1, x) | ~top) & (~zero | top));
    default:
      return zero ^ (top & written(random, (table ^ table >> half) & mask, inputs - 1, x));
  }
}

// Of four inputs an eighth in each run, which one the seed says; all of fewer.
TEST(Bit, EveryFunctionOfUpToFourInputsIsALut) {
  const std::uint64_t seed = test::rotating_seed();
  Random random(seed);
  for (unsigned inputs = 1; inputs <= 4; ++inputs) {
    const std::uint64_t functions = std::uint64_t{1} << (1u << inputs);
    const std::uint64_t together = std::min<std::uint64_t>(functions, 1024);
    const std::uint64_t step = inputs < 4 ? together : 8 * together;
    for (std::uint64_t first = seed % 8 * 1024 % step; first < functions; first += step) {
      std::uint64_t free = 0;  // constants and inputs
      Circuit c({inputs}, [&](Scope& s, const Words& in) -> Words {
        Words out;
        std::vector<Net> nets;
        for (std::uint64_t t = first; t < first + together; ++t) {
          nets.push_back(s.net(written(random, t, inputs, in[0])));
          const auto of = in[0].nets();
          free += nets.back().is_constant() || std::ranges::find(of, nets.back()) != of.end();
          if (nets.size() == 64 || t + 1 == first + together) {
            out.push_back(bits(s, nets));
            nets.clear();
          }
        }
        return out;
      });
      ASSERT_EQ(c.cost().luts, together - free);
      c.for_all([&](auto& in, auto& out) {
        for (std::uint64_t t = 0; t < together; ++t)
          ASSERT_EQ(out[t / 64] >> t % 64 & 1, (first + t) >> in[0] & 1) << first + t;
      });
    }
  }
}

TEST(Bit, CountsByHand) {
  const auto all = [](const UInt& x) {
    Bit b = ir::net_one;
    for (const Net n : x.nets()) b &= n;
    return b;
  };
  const auto any = [](const UInt& x) {
    Bit b;
    for (const Net n : x.nets()) b |= n;
    return b;
  };
  const auto parity = [](const UInt& x) {
    Bit b;
    for (const Net n : x.nets()) b = b ^ n;
    return ~b;
  };
  // n inputs want (n - 1) / 5 LUTs of six, rounded up.
  EXPECT_EQ(size(6, all), (Size{1, 1}));
  EXPECT_EQ(size(7, all), (Size{2, 2}));
  EXPECT_EQ(size(11, any), (Size{2, 2}));
  EXPECT_EQ(size(12, parity), (Size{3, 2}));
  EXPECT_EQ(size(17, any), (Size{4, 2}));
  EXPECT_EQ(size(36, all), (Size{7, 2}));
  EXPECT_EQ(size(36, parity), (Size{7, 2}));
  EXPECT_EQ(size(37, all), (Size{8, 3}));
  // Gates of one kind are one gate, also where a part is inverted: ~(a | b) & c.
  EXPECT_EQ(size(12, [&](const UInt& x) { return ~any(x.slice(0, 6)) & all(x.slice(6, 6)); }),
            (Size{3, 2}));
}

TEST(Bit, TreesOfMultiplexers) {
  const auto choose = [](auto& self, const UInt& index, const UInt& x) -> Bit {
    if (index.width() == 0) return x[0];
    const std::uint32_t half = x.width() / 2;
    const UInt rest = index.slice(0, index.width() - 1);
    return mux(index.msb(), self(self, rest, x.slice(half, half)),
               self(self, rest, x.slice(0, half)));
  };
  const auto of = [&](std::uint32_t digits) {
    const std::uint32_t items = 1u << digits;
    return size(digits + items, [&](const UInt& x) {
      return choose(choose, x.slice(0, digits), x.slice(digits, items));
    });
  };
  EXPECT_EQ(of(1), (Size{1, 1}));
  EXPECT_EQ(of(2), (Size{1, 1}));
  EXPECT_EQ(of(3), (Size{3, 2}));
  EXPECT_EQ(of(4), (Size{5, 2}));
}

TEST(Bit, ConstantsAndRepeatsFoldAtOnce) {
  Builder b;
  Scope s(b, b.design().add_module("m"));
  const Net a = s.input<UInt>("a", 1)[0], c = s.input<UInt>("c", 1)[0];
  EXPECT_EQ(s.net(a & ir::net_zero), ir::net_zero);
  EXPECT_EQ(s.net(a | ~a), ir::net_one);
  EXPECT_EQ(s.net(a ^ a ^ c), c);
  EXPECT_EQ(s.net(mux(c, a, a)), a);
  EXPECT_EQ(s.net(Bit()), ir::net_zero);
  EXPECT_TRUE(s.module().cells().empty());
}

// Several expressions; what stays is counted in the end.
Size together(std::uint32_t inputs, const std::function<std::vector<Net>(Scope&, const UInt&)>& f) {
  const Circuit c({inputs},
                  [&](Scope& s, const Words& in) -> Words { return {bits(s, f(s, in[0]))}; });
  const auto of = levels(c.module());
  return {c.cost().luts, *std::ranges::max_element(of)};
}

TEST(Bit, ATermGoesIntoItsReadersWhereAllHaveRoom) {
  EXPECT_EQ(together(6,
                     [](Scope& s, const UInt& x) -> std::vector<Net> {
                       const Net shared = s.net(x[0] & x[1]);
                       return {s.net(shared & x[2] & x[3]), s.net(shared | (x[4] ^ x[5]))};
                     }),
            (Size{2, 1}));
  // Six inputs and two more: the first reader has no room, so the term is a LUT, for both.
  EXPECT_EQ(together(8,
                     [](Scope& s, const UInt& x) -> std::vector<Net> {
                       const Net shared = s.net(x[0] & x[1]);
                       return {s.net(shared ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6])};
                     }),
            (Size{2, 2}));
}

TEST(Bit, ATermThatOthersReadIsRepeatedForALevel) {
  EXPECT_EQ(together(3,
                     [](Scope& s, const UInt& x) -> std::vector<Net> {
                       const Net shared = s.net(x[0] & x[1]);
                       return {shared, s.net(shared | x[2])};
                     }),
            (Size{2, 1}));
}

TEST(Bit, EqualLutsAreOne) {
  EXPECT_EQ(together(3,
                     [](Scope& s, const UInt& x) -> std::vector<Net> {
                       return {s.net((x[0] & x[1]) | x[2]), s.net(~(~x[2] & ~(x[1] & x[0]))),
                               s.net(x[2] ^ x[0]), s.net(x[0] ^ x[2])};
                     }),
            (Size{2, 1}));
}

TEST(Bit, WhatNobodyReadsIsNoCell) {
  EXPECT_EQ(together(8,
                     [](Scope& s, const UInt& x) -> std::vector<Net> {
                       const Net wide = s.net(x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[6]);
                       s.net(wide & x[7]);
                       return {x[0]};
                     }),
            (Size{0, 0}));
}

TEST(Bit, ARegisterReadsItself) {
  Circuit c({1, 1}, [](Scope& s, const Words& in) -> Words {
    Reg<Net> q(s);
    q.next(mux(in[1][0], ~q, q & in[0][0]));
    return {bits(s, {q})};
  });
  EXPECT_EQ(c.cost().luts, 1u);
  std::uint64_t held = 0;
  Random random(1);
  for (int clock = 0; clock < 200; ++clock) {
    const std::uint64_t keep = random() & 1, turn = random() & 1;
    ASSERT_EQ(c({keep, turn})[0], held);
    held = turn ? !held : held & keep;
  }
}

TEST(Bit, AWireGoesThroughExpressionsInAnyOrder) {
  Circuit c({3}, [](Scope& s, const Words& in) -> Words {
    Wire<Net> later(s), constant(s);
    const Net first = s.net(later & in[0][2]);
    const Net none = s.net(constant & in[0][0]);
    later.drive(in[0][0] | in[0][1]);
    constant.drive(ir::net_zero);
    return {bits(s, {first, none})};
  });
  EXPECT_EQ(c.cost().luts, 1u);
  c.for_all([](auto& in, auto& out) { ASSERT_EQ(out[0], in[0] > 4); });
}

TEST(Bit, ALoopIsReportedOnceWithItsLines) {
  Builder b;
  ir::Module& m = b.design().add_module("m");
  Scope s(b, m);
  const UInt x = s.input<UInt>("x", 2);
  Wire<Net> back(s);
  const int line = __LINE__;
  const Net a = s.net(back & x[0]);
  back.drive(a | x[1]);
  s.output("y", bits(s, {a}));
  s.finish();
  b.design().set_top(m.id());
  const auto found = ir::check(b.design(), {.warnings = false});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, code::loop);
  for (const int at : {line + 1, line + 2})
    EXPECT_THAT(found[0].message, HasSubstr("tests/gen/hdl/bit_test.cpp:" + std::to_string(at)));
}

TEST(Bit, ACellNamesTheLineOfItsExpression) {
  Builder b;
  Scope s(b, b.design().add_module("m"));
  const UInt x = s.input<UInt>("x", 3);
  Reg<Net> q(s);
  const int line = __LINE__;
  const Net a = s.named("a", x[0] & x[1]);
  q.next(a | x[2]);
  s.output("y", bits(s, {q, a}));
  s.finish();
  std::vector<std::string> places;
  for (const ir::Cell& c : s.module().cells())
    if (c.kind != ir::Kind::fdre) places.push_back(to_string(c.place));
  const auto at = [&](int l) { return "tests/gen/hdl/bit_test.cpp:" + std::to_string(l); };
  EXPECT_EQ(places, (std::vector{at(line + 1), at(line + 2)}));
}

TEST(Bits, OfWordsAndConditions) {
  Circuit c({8, 8, 1, 1}, [](Scope& s, const Words& in) -> Words {
    const Net p = in[2][0], q = in[3][0];
    return {s.word(in[0] & ~p), s.word(mux(p | q, in[0], in[1])),
            s.word((in[0] ^ in[1]) | (p & q))};
  });
  c.for_all([](auto& in, auto& out) {
    ASSERT_EQ(out[0], in[2] ? 0 : in[0]);
    ASSERT_EQ(out[1], in[2] || in[3] ? in[0] : in[1]);
    ASSERT_EQ(out[2], in[2] && in[3] ? 255 : in[0] ^ in[1]);
  });
  // Two positions share a LUT6_2, behind a LUT where there are two conditions.
  EXPECT_EQ(c.cost().luts, 4u + (1 + 4) + (1 + 4));
  // Also where a condition reads a bit of the word.
  Circuit sign({8, 1}, [](Scope& s, const Words& in) -> Words {
    return {s.word(in[0] & ~(in[0].msb() & in[1][0]))};
  });
  EXPECT_EQ(sign.cost().luts, 1u + 4);
  sign.for_all([](auto& in, auto& out) { ASSERT_EQ(out[0], in[0] > 127 && in[1] ? 0 : in[0]); });
}

TEST(Bits, OfOneWidthAndSixInputs) {
  Builder b;
  Scope s(b, b.design().add_module("m"));
  const UInt a = s.input<UInt>("a", 4), c = s.input<UInt>("c", 5), x = s.input<UInt>("x", 28);
  const auto refusal = [](auto f) { return test::refusal<DesignError>([&] { f(); }); };
  EXPECT_THAT(refusal([&] { s.word(a & c); }), HasSubstr("lut needs equal widths; it has 4 bits"));
  EXPECT_THAT(refusal([&] {
                s.word(x.slice(0, 4) ^ x.slice(4, 4) ^ x.slice(8, 4) ^ x.slice(12, 4) ^
                       x.slice(16, 4) ^ x.slice(20, 4) ^ x.slice(24, 4));
              }),
              HasSubstr("an expression of words has more than six different inputs a bit"));
}

// Gates over earlier gates and inputs, all of them made nets or none.
struct RandomDag {
  static constexpr unsigned inputs = 9;
  struct Gate {
    unsigned kind, in[3];
  };
  std::vector<Gate> gates;
  bool nets;

  RandomDag(Random& random, bool nets) : nets(nets) {
    const auto count = 2 + random() % 30;
    for (unsigned i = 0; i < count; ++i) {
      Gate g{static_cast<unsigned>(random() % 5), {}};
      for (unsigned& in : g.in) in = static_cast<unsigned>(random() % (inputs + i));
      // Chains as they are written by hand.
      if (i > 0 && random() % 2) g.in[0] = inputs + i - 1;
      gates.push_back(g);
    }
  }
  // Of every gate, with the value of an input or a level.
  template <class T, class Apply>
  std::vector<T> all(std::vector<T> values, Apply apply) const {
    for (const Gate& g : gates)
      values.push_back(apply(g.kind, values[g.in[0]], values[g.in[1]], values[g.in[2]]));
    return values;
  }
  template <class T>
  static T gate(unsigned kind, const T& a, const T& b, const T& c) {
    switch (kind) {
      case 0:
        return a & b;
      case 1:
        return a | ~b;
      case 2:
        return a ^ b;
      case 3:
        return ~(a & ~b);
      default:
        return (a & b) | (~a & c);
    }
  }
  std::vector<Net> build(Scope& s, const UInt& x) const {
    std::vector<Bit> in;
    for (const Net n : x.nets()) in.emplace_back(n);
    const auto made = all(in, [&](unsigned kind, const Bit& a, const Bit& b, const Bit& c) {
      const Bit g = kind == 4 ? mux(a, b, c) : gate(kind, a, b, c);
      return nets ? Bit(s.net(g)) : g;
    });
    // The last gates, and one in between, which others read.
    std::vector<Net> out;
    for (std::size_t i = 0; i < made.size(); ++i)
      if (i + 3 >= made.size() || i == inputs + gates.size() / 2) out.push_back(s.net(made[i]));
    return out;
  }
};

TEST(Bit, RandomExpressionsAreWhatTheySayAndNeverDeeperThanWritten) {
  Random random(test::rotating_seed());
  for (int round = 0; round < 300; ++round) {
    const RandomDag dag(random, round % 2 == 0);
    const auto build = [&](Scope& s, const Words& in) -> Words {
      return {bits(s, dag.build(s, in[0]))};
    };
    Circuit c({RandomDag::inputs}, build);
    const Circuit again({RandomDag::inputs}, build);
    ASSERT_EQ(ir::print(c.module()), ir::print(again.module()));
    std::vector<std::size_t> shown;
    const std::size_t nodes = RandomDag::inputs + dag.gates.size();
    for (std::size_t i = 0; i < nodes; ++i)
      if (i + 3 >= nodes || i == RandomDag::inputs + dag.gates.size() / 2) shown.push_back(i);

    if (dag.nets) {
      ASSERT_LE(c.cost().luts, dag.gates.size());
    }
    const auto deep = levels(c.module());
    const auto as_written =
        dag.all(std::vector<int>(RandomDag::inputs, 0), [](unsigned kind, int a, int b, int d) {
          return 1 + std::max({a, b, kind == 4 ? d : 0});
        });
    for (std::size_t k = 0; k < shown.size(); ++k) ASSERT_LE(deep[k], as_written[shown[k]]);

    c.for_all([&](auto& in, auto& out) {
      std::vector<std::uint64_t> x;
      for (unsigned i = 0; i < RandomDag::inputs; ++i) x.push_back(in[0] >> i & 1 ? ~0ull : 0);
      const auto values = dag.all(x, RandomDag::gate<std::uint64_t>);
      for (std::size_t k = 0; k < shown.size(); ++k)
        ASSERT_EQ(out[0] >> k & 1, values[shown[k]] & 1) << "round " << round;
    });
  }
}

}  // namespace dsl_bit_test
}  // namespace kumiki::gen
