// SPDX-License-Identifier: Apache-2.0
// What a slice does not use rests, as UG579 advises for power, and nothing else changes by it.
#include "gen/hdl/dsp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/circuit.h"

namespace kumiki::gen {
namespace dsl_dsp_test {

using namespace ir::dsp48e2;
using tests::Circuit;

constexpr std::uint16_t x_and_y_m = 0b000000101, x_ab = 0b000000011, z_p = 0b000100000,
                        z_c = 0b000110000, y_c = 0b000001100, w_c = 0b110000000;

// Three inputs: 27 and 18 bits of data, and a bit that a control may follow.
using Make = std::function<Dsp48e2(Scope&, const Circuit::Words&)>;
const std::vector<std::uint32_t> inputs{27, 18, 1};

Dsp48e2 with_operands(Scope& s, const Circuit::Words& in, Dsp48e2 dsp) {
  dsp.a = sext(s, as_signed(in[0]), 30);
  dsp.b = in[1];
  return dsp;
}
Make of(const Dsp48e2& dsp) {
  return [=](Scope& s, const Circuit::Words& in) { return with_operands(s, in, dsp); };
}

// Are all bits of these pins of the slice this constant?
bool are(const Circuit& circuit, std::initializer_list<const char*> names, Net value) {
  const ir::Module& module = circuit.module();
  const auto cell = std::ranges::find(module.cells(), ir::Kind::dsp48e2, &ir::Cell::kind);
  const Net* net = module.inputs(*cell).data();
  std::size_t right = 0;
  for (const ir::Pin& pin : ir::prototype(ir::Kind::dsp48e2).inputs) {
    if (std::ranges::find(names, pin.name) != names.end())
      right += std::all_of(net, net + pin.width, [&](Net n) { return n == value; });
    net += pin.width;
  }
  return right == names.size();
}

struct Resting {
  bool c, d, m;
  friend bool operator==(const Resting&, const Resting&) = default;
};
std::ostream& operator<<(std::ostream& out, const Resting& r) {
  return out << (r.c ? "C" : "-") << (r.d ? "D" : "-") << (r.m ? "M" : "-");
}

Resting resting(const Make& make) {
  const Circuit circuit(inputs, [&](Scope& s, const Circuit::Words& in) {
    return Circuit::Words{UInt(make(s, in).add_to(s).p)};
  });
  const Resting r{.c = are(circuit, {"CEC"}, ir::net_zero),
                  .d = are(circuit, {"CED", "CEAD"}, ir::net_zero),
                  .m = are(circuit, {"CEM"}, ir::net_zero)};
  // All ones while it rests, 0 while it may be read and nobody gave it.
  EXPECT_TRUE(are(circuit, {"C"}, r.c ? ir::net_one : ir::net_zero));
  EXPECT_TRUE(are(circuit, {"D"}, ir::net_zero));
  return r;
}

const Dsp48e2 product{.opmode = x_and_y_m};
const ir::Dsp48e2Attributes adder{.mreg = 0, .use_mult = UseMult::none};

TEST(Dsp48e2Pins, WhatIsNotUsedRests) {
  EXPECT_EQ(resting(of(product)), (Resting{true, true, false}));
  EXPECT_EQ(resting(of({.opmode = x_and_y_m | z_p})), (Resting{true, true, false}));
  EXPECT_EQ(resting(of({.attributes = adder, .opmode = x_ab | z_p})), (Resting{true, true, true}));
  EXPECT_EQ(resting(of({.attributes = {.creg = 0}, .opmode = x_and_y_m})),
            (Resting{true, true, false}));
}

TEST(Dsp48e2Pins, WhatMayBeReadDoesNotRest) {
  for (const unsigned opmode : {x_and_y_m | z_c, x_and_y_m | w_c})
    EXPECT_EQ(resting(of({.opmode = static_cast<std::uint16_t>(opmode)})),
              (Resting{false, true, false}));
  EXPECT_EQ(resting(of({.attributes = adder, .opmode = x_ab | y_c})), (Resting{false, true, true}));
  EXPECT_EQ(resting(of({.attributes = {.use_pattern_detect = UsePatternDetect::patdet,
                                       .sel_pattern = SelPattern::c},
                        .opmode = x_and_y_m})),
            (Resting{false, true, false}));
  EXPECT_EQ(resting(of({.attributes = {.use_pattern_detect = UsePatternDetect::patdet,
                                       .sel_mask = SelMask::rounding_mode1},
                        .opmode = x_and_y_m})),
            (Resting{false, true, false}));
  // The pre-adder works without D.
  EXPECT_EQ(resting(of({.attributes = {.amultsel = AMultSel::ad}, .opmode = x_and_y_m})),
            (Resting{true, false, false}));
  EXPECT_EQ(resting(of({.attributes = {.bmultsel = BMultSel::ad, .preaddinsel = PreAddInSel::b},
                        .opmode = x_and_y_m})),
            (Resting{true, false, false}));
}

TEST(Dsp48e2Pins, OpmodeCountsBehindItsInvertersAndWhereItMoves) {
  EXPECT_EQ(resting(of({.attributes = {.is_opmode_inverted = z_c}, .opmode = x_and_y_m | z_c})),
            (Resting{true, true, false}));
  EXPECT_EQ(resting(of({.attributes = {.is_opmode_inverted = z_c}, .opmode = x_and_y_m})),
            (Resting{false, true, false}));
  // Bits 4 and 5 follow the control, in phase: 000 or 011. Bit 5 alone: 000 or 010.
  const auto moving = [](std::uint16_t mask) {
    return [=](Scope& s, const Circuit::Words& in) {
      std::vector<Net> nets;
      for (unsigned i = 0; i < 9; ++i)
        nets.push_back(mask >> i & 1 ? in[2][0] : ir::constant((x_and_y_m >> i & 1) != 0));
      Dsp48e2 dsp = product;
      dsp.opmode_nets = bits(s, nets);
      return with_operands(s, in, dsp);
    };
  };
  EXPECT_EQ(resting(moving(z_c)), (Resting{false, true, false}));
  EXPECT_EQ(resting(moving(z_p)), (Resting{true, true, false}));
}

// Beside a slice whose C and D are 0 in registers that are always enabled, as they once were.
TEST(Dsp48e2Pins, NothingElseChanges) {
  for (const Dsp48e2& dsp :
       {product, Dsp48e2{.opmode = x_and_y_m | z_p},
        Dsp48e2{.attributes = adder, .opmode = x_ab | z_p},
        Dsp48e2{.attributes = {.amultsel = AMultSel::ad}, .opmode = x_and_y_m | z_p}}) {
    Circuit circuit(inputs, [&](Scope& s, const Circuit::Words& in) {
      Dsp48e2 resting = with_operands(s, in, dsp);
      resting.enable = in[2][0];
      Dsp48e2 busy = resting;
      busy.c = s.constant(0, 48), busy.d = s.constant(0, 27);
      const auto one = resting.add_to(s), other = busy.add_to(s);
      return Circuit::Words{UInt(one.p), UInt(other.p), one.carryout, other.carryout};
    });
    circuit.for_all(
        [](const Circuit::Values&, const Circuit::Values& out) {
          ASSERT_EQ(out[0], out[1]);
          ASSERT_EQ(out[2], out[3]);
        },
        3000);
  }
}

// (A + D) * B, where the sum goes round at 25 bits.
TEST(Dsp48e1Pins, ThePreAdderHas25Bits) {
  const auto series7 = ir::Family::series7;
  constexpr Dsp48e2 with_d{.attributes = {.kind = ir::Kind::dsp48e1, .amultsel = AMultSel::ad},
                           .opmode = x_and_y_m,
                           .inmode = 0b00100};
  Circuit circuit(
      {25, 18, 25},
      [&](Scope& s, const Circuit::Words& in) {
        Dsp48e2 dsp = with_operands(s, in, with_d);
        dsp.d = in[2];
        const auto out = dsp.add_to(s);
        EXPECT_EQ(out.xorout.width(), 0u);
        return Circuit::Words{UInt(out.p)};
      },
      series7);
  const auto extended = [](std::uint64_t value, unsigned width) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    return ((value & (2 * sign - 1)) ^ sign) - sign;
  };
  const std::uint64_t highest = 0xffffff, lowest = 0x1000000;
  for (const std::uint64_t a : {std::uint64_t{5}, highest, lowest})
    for (const std::uint64_t d : {std::uint64_t{7}, highest, lowest})
      for (const std::uint64_t b : {std::uint64_t{3}, std::uint64_t{0x20000}}) {
        Circuit::Values out;
        for (int clock = 0; clock < 5; ++clock) out = circuit({a, b, d});
        EXPECT_EQ(out[0], extended(a + d, 25) * extended(b, 18) & word_mask) << a << " " << d;
      }
}

// What W adds to Z = 0 comes through Z: RND on C, P as itself.
TEST(Dsp48e1Pins, ADsp48e2BecomesOneThatDoesTheSame) {
  constexpr std::uint16_t w_rnd = 0b10'000'00'00;
  const auto sums = [&](ir::Family family) {
    Circuit circuit(
        {20, 18, 20, 1},
        [&](Scope& s, const Circuit::Words& in) {
          Dsp48e2 constant{.attributes = {.amultsel = AMultSel::ad, .rnd = 0x123456789},
                           .a = sext(s, as_signed(in[0]), dsp48e2.a),
                           .b = in[1],
                           .d = sext(s, as_signed(in[2]), dsp48e2.d),
                           .opmode = w_rnd | x_and_y_m,
                           .inmode = 0b00100};
          Dsp48e2 adds{.a = sext(s, as_signed(in[0]), dsp48e2.a), .b = in[1]};
          const Net one = ir::net_one, zero = ir::net_zero;
          adds.opmode_nets = bits(s, {one, zero, one, zero, zero, zero, zero, in[3][0], zero});
          return Circuit::Words{UInt(constant.add_to(s).p), UInt(adds.add_to(s).p)};
        },
        family);
    std::vector<Circuit::Values> all;
    std::mt19937_64 random(5);
    for (int clock = 0; clock < 200; ++clock)
      all.push_back(
          circuit({random() & 0xfffff, random() & 0x3ffff, random() & 0xfffff, random() & 1}));
    return all;
  };
  EXPECT_EQ(sums(ir::Family::series7), sums(ir::Family::ultrascale_plus));
}

// The plan of a machine must not ask for it.
TEST(Dsp48e1Pins, ADsp48e2ThatNoneCanBeIsAMistake) {
  const auto build = [](const Dsp48e2& dsp) {
    Circuit(
        {1},
        [&](Scope& s, const Circuit::Words& in) {
          return Circuit::Words{UInt(dsp.add_to(s).p), in[0]};
        },
        ir::Family::series7);
  };
  build({});
  Dsp48e2 third{.opmode = 0b10'001'01'01};
  EXPECT_THROW(build(third), std::logic_error);
  Dsp48e2 sum_on_b{.attributes = {.bmultsel = ir::dsp48e2::BMultSel::ad}};
  EXPECT_THROW(build(sum_on_b), std::logic_error);
}

TEST(Dsp48e1Pins, AWordIsCutOnlyWhereItRepeatsItsSign) {
  const auto build = [](std::uint32_t bits) {
    Circuit(
        {bits},
        [&](Scope& s, const Circuit::Words& in) {
          Dsp48e2 dsp{.a = sext(s, as_signed(in[0]), dsp48e2.a), .opmode = x_and_y_m};
          return Circuit::Words{UInt(dsp.add_to(s).p)};
        },
        ir::Family::series7);
  };
  build(25);
  EXPECT_THROW(build(26), std::logic_error);
}

TEST(Dsp48e1Pins, WhatItDoesNotHaveIsRefused) {
  const auto refusal = [](const Dsp48e2& dsp, std::uint32_t d_bits) -> std::string {
    try {
      Circuit(
          {d_bits},
          [&](Scope& s, const Circuit::Words& in) {
            Dsp48e2 with = dsp;
            with.d = in[0];
            return Circuit::Words{UInt(with.add_to(s).p)};
          },
          ir::Family::series7);
    } catch (const DesignError& error) {
      return error.what();
    }
    return "";
  };
  const Dsp48e2 e1{.attributes = {.kind = ir::Kind::dsp48e1}, .opmode = x_and_y_m};
  EXPECT_EQ(refusal(e1, 25), "");
  EXPECT_NE(refusal(e1, 27).find("DSP48E1.D has 25 bits, it is given 27"), std::string::npos);
  Dsp48e2 with_w = e1;
  with_w.opmode |= w_c;
  EXPECT_NE(refusal(with_w, 25), "");
}

}  // namespace dsl_dsp_test
}  // namespace kumiki::gen
