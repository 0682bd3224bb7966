// SPDX-License-Identifier: Apache-2.0
#include "ir/arch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/dsp48e2_model.h"

namespace kumiki::ir {
namespace {

using arch::DspSlice;

template <class Pins>
int width_of(const Pins& pins, std::string_view name) {
  const auto pin = std::ranges::find(pins, name, [](const auto& p) { return p.name; });
  return pin == pins.end() ? 0 : pin->width;
}

// P of a slice without registers.
std::uint64_t p_of(Kind kind, Dsp48e2Inputs in) {
  Dsp48e2Attributes a{
      .kind = kind, .areg = 0, .acascreg = 0, .breg = 0, .bcascreg = 0, .mreg = 0, .preg = 0};
  a.alumodereg = a.carryinreg = a.carryinselreg = a.inmodereg = a.opmodereg = 0;
  return outputs(a, {}, in).p;
}

TEST(Arch, PortsAreThoseOfThePrimitive) {
  for (const DspSlice& s : {arch::dsp48e1, arch::dsp48e2}) {
    SCOPED_TRACE(s.name);
    const Prototype& proto = prototype(s.kind);
    EXPECT_EQ(s.name, proto.name);
    EXPECT_EQ(s.a, width_of(proto.inputs, "A"));
    EXPECT_EQ(s.b, width_of(proto.inputs, "B"));
    EXPECT_EQ(s.c, width_of(proto.inputs, "C"));
    EXPECT_EQ(s.d, width_of(proto.inputs, "D"));
    EXPECT_EQ(s.p, width_of(proto.outputs, "P"));
    EXPECT_EQ(s.lanes, width_of(proto.outputs, "CARRYOUT"));
    EXPECT_EQ(s.wide_xor, width_of(proto.outputs, "XOROUT") > 0);
    EXPECT_EQ(s.w, width_of(proto.inputs, "OPMODE") > 7);
    EXPECT_EQ(s.preadds_b, find_dsp_parameter(s.kind, "PREADDINSEL") != nullptr);
  }
}

TEST(Arch, MultiplierAndShiftAreThoseOfTheModel) {
  for (const DspSlice& s : {arch::dsp48e1, arch::dsp48e2}) {
    SCOPED_TRACE(s.name);
    const std::uint64_t lowest_a = std::uint64_t{1} << (s.multiplier_a - 1),
                        lowest_b = std::uint64_t{1} << (s.multiplier_b - 1);
    constexpr std::uint64_t product = 0b000'01'01, pcin_shifted = 0b101'00'00;
    const auto p = [&](const Dsp48e2Inputs& in) { return p_of(s.kind, in); };
    EXPECT_EQ(p({.a = lowest_a, .b = lowest_b, .opmode = product}), lowest_a * lowest_b);
    EXPECT_EQ(p({.a = 2 * lowest_a, .b = 1, .opmode = product}), 0u);
    EXPECT_EQ(p({.opmode = pcin_shifted, .pcin = std::uint64_t{1} << s.shift}), 1u);
  }
}

TEST(Arch, SlicesOfBothKindsAreBuiltAlike) {
  for (const DspSlice& s : {arch::dsp48e1, arch::dsp48e2}) {
    SCOPED_TRACE(s.name);
    EXPECT_EQ(s.a + s.b, s.p);
    EXPECT_EQ(s.c, s.p);
    EXPECT_EQ(s.d, s.multiplier_a);
    EXPECT_EQ(s.b, s.multiplier_b);
    EXPECT_EQ(s.shift, s.multiplier_b - 1);
    EXPECT_EQ(s.p % s.lanes, 0);
  }
}

// UG479.
TEST(Arch, Dsp48e1HasLess) {
  const DspSlice& s = arch::of(Family::series7).dsp;
  EXPECT_EQ(s.name, "DSP48E1");
  EXPECT_EQ(s.p, 48);
  EXPECT_EQ(s.multiplier_a, 25);
  EXPECT_EQ(s.multiplier_b, 18);
  EXPECT_EQ(s.lanes, 4);
  EXPECT_FALSE(s.w || s.preadds_b || s.wide_xor);
}

TEST(Arch, FamiliesHaveTheirCarryBlocksAndMemories) {
  EXPECT_EQ(arch::of(Family::series7).carry_positions,
            prototype(Kind::carry4).outputs.front().width);
  for (const Family f : {Family::ultrascale, Family::ultrascale_plus}) {
    EXPECT_EQ(arch::of(f).carry_positions, prototype(Kind::carry8).outputs.front().width);
    EXPECT_EQ(arch::of(f).dsp.name, "DSP48E2");
    EXPECT_EQ(arch::of(f).has_ultra_ram, f == Family::ultrascale_plus);
  }
  for (const arch::MemoryShape& s : arch::block_ram_18k)
    EXPECT_EQ(s.depth * s.width, (s.width < 9 ? 16 : 18) * 1024) << s.width;
}

}  // namespace
}  // namespace kumiki::ir
