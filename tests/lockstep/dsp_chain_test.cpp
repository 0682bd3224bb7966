// SPDX-License-Identifier: Apache-2.0
// Slices of both kinds in a column: what leaves through a cascade is what enters above it. The sums
// are compared with integers, on the native simulator, under Verilator and under Icarus.
#include <gtest/gtest.h>

#include <set>

#include "backends/emit/verilog_netlist.h"
#include "backends/sim/icarus/icarus.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "gen/hdl/dsp.h"
#include "ir/check.h"
#include "tests/support/cache.h"
#include "tests/support/random.h"

namespace kumiki::tests {
namespace dsp_chain_test {

using namespace gen;
using ir::arch::DspSlice;
using ir::dsp48e2::Path;

constexpr std::uint16_t m = 0b00'0101, z_pcin = 0b001'0000, z_p = 0b010'0000,
                        z_pcin_shifted = 0b101'0000, macc_extend = 0b100'1000;
constexpr std::uint8_t carry_cascade = 0b010;

std::int64_t number(std::uint64_t bits, std::uint32_t width) {
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>((bits ^ sign) - sign);
}

Dsp48e2 multiply(Scope& s, const DspSlice& slice, const SInt& a, const Word& b,
                 std::uint16_t opmode) {
  return {.attributes = {.kind = slice.kind}, .a = sext(s, a, slice.a), .b = b, .opmode = opmode};
}

// Stimulus and what three simulators answer.
struct Answers {
  std::vector<ir::Frame> in;
  std::vector<std::vector<ir::Frame>> out;
};

Answers run(const ir::Design& design, const DspSlice& slice, std::size_t clocks) {
  Answers r;
  Random random(1);
  for (std::size_t t = 0; t < clocks; ++t)
    r.in.push_back({random.operand(slice.multiplier_a), random.operand(slice.multiplier_b)});
  backends::NativeMachine native(design);
  backends::VerilatedMachine verilated(design, {.cache = backends::Cache(test::shared_cache)});
  for (ir::Machine* machine : std::initializer_list<ir::Machine*>{&native, &verilated}) {
    auto& answers = r.out.emplace_back(clocks);
    machine->power_up();
    for (std::size_t t = 0; t < clocks; ++t) machine->step(r.in[t], answers[t]);
  }
  r.out.push_back(backends::run_icarus(backends::verilog_netlist(design), r.in).outputs);
  return r;
}

std::int64_t product(const DspSlice& slice, const Answers& r, std::size_t ta, std::size_t tb) {
  return number(r.in[ta][0], slice.multiplier_a) * number(r.in[tb][1], slice.multiplier_b);
}

class DspChain : public testing::TestWithParam<ir::Family> {
 protected:
  const DspSlice& slice = ir::arch::of(GetParam()).dsp;
  Builder builder{GetParam()};
};

// UG479, UG579: the slice above adds the carries out of 48 bits, a clock later, and takes the sign
// of the product into account: together they accumulate in 96 bits.
TEST_P(DspChain, MaccExtendAccumulatesIn96Bits) {
  Scope s(builder, builder.design().add_module("macc"));
  const SInt a = s.input<SInt>("a", slice.multiplier_a);
  const UInt b = s.input<UInt>("b", slice.multiplier_b);
  const auto low = multiply(s, slice, a, b, m | z_p).add_to(s);
  const auto high = Dsp48e2{.attributes = {.kind = slice.kind},
                            .carrycascin = low.carrycascout,
                            .multsignin = low.multsignout,
                            .opmode = macc_extend,
                            .carryinsel = carry_cascade}
                        .add_to(s);
  s.output("low", low.p);
  s.output("high", high.p);
  builder.design().set_top(s.module().id());
  ir::require_legal(builder.design());

  const Answers r = run(builder.design(), slice, 3000);
  constexpr std::int64_t word = std::int64_t{1} << 48;
  std::int64_t sum = 0, before = 0;
  // In one clock the empty M of a DSP48E2 has no carry that balances the -1 of its MACC extend.
  const std::int64_t at_first = slice.kind == ir::Kind::dsp48e2 ? -1 : 0;
  std::set<std::int64_t> highs;
  for (std::size_t t = 3; t < r.in.size(); ++t) {
    before = sum;
    sum += product(slice, r, t - 3, t - 3);
    const std::int64_t high_part = (before - (before & (word - 1))) / word + at_first;
    highs.insert(high_part);
    for (const auto& out : r.out) {
      ASSERT_EQ(out[t][0], static_cast<std::uint64_t>(sum) & (word - 1)) << t;
      ASSERT_EQ(number(out[t][1], 48), high_part) << t;
    }
  }
  EXPECT_TRUE(highs.size() > 1);
}

// Three products with the operands passed on: the second is added to the first, the third to their
// sum without its lower bits.
TEST_P(DspChain, OperandsAndSumsCascade) {
  Scope s(builder, builder.design().add_module("chain"));
  const SInt a = s.input<SInt>("a", slice.multiplier_a);
  const UInt b = s.input<UInt>("b", slice.multiplier_b);
  auto below = multiply(s, slice, a, b, m).add_to(s);
  for (const std::uint16_t opmode : {z_pcin, z_pcin_shifted})
    below = Dsp48e2{.attributes = {.kind = slice.kind,
                                   .areg = 2,
                                   .acascreg = 2,
                                   .breg = 1,
                                   .a_input = Path::cascade,
                                   .b_input = Path::cascade},
                    .acin = below.acout,
                    .bcin = below.bcout,
                    .pcin = below.pcout,
                    .opmode = static_cast<std::uint16_t>(m | opmode)}
                .add_to(s);
  s.output("p", below.p);
  builder.design().set_top(s.module().id());
  ir::require_legal(builder.design());

  const Answers r = run(builder.design(), slice, 400);
  for (std::size_t t = 8; t < r.in.size(); ++t) {
    // A passes 1, 3 and 5 registers, B 1, 2 and 3; then come M and P, and a P for each slice above.
    const std::int64_t first = product(slice, r, t - 5, t - 5),
                       second = product(slice, r, t - 6, t - 5),
                       third = product(slice, r, t - 7, t - 5);
    const std::int64_t p = ((first + second) >> slice.shift) + third;
    for (const auto& out : r.out) ASSERT_EQ(number(out[t][0], 48), p) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, DspChain,
                         testing::Values(ir::Family::series7, ir::Family::ultrascale_plus),
                         [](const auto& p) { return std::string(ir::arch::of(p.param).dsp.name); });

}  // namespace dsp_chain_test
}  // namespace kumiki::tests
