// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/dsp48e2_legality.h"

#include <fmt/format.h>

#include <array>

namespace kumiki::ir {
namespace {

using namespace dsp48e2;
using A = Dsp48e2Attributes;
using Broken = std::vector<std::string>;

std::string_view choice(std::string_view name, const A& a) {
  const auto* p = find_dsp_parameter(a.kind, name);
  return p->param.choices[p->get(a)];
}

// A cascade output comes after all input registers of the operand, or after the first one of two.
void check_cascade(char port, unsigned reg, unsigned cascreg, Broken& broken) {
  if (cascreg == reg || (reg == 2 && cascreg == 1)) return;
  broken.push_back(fmt::format("{0}CASCREG is {1} with {0}REG {2}: it must equal {0}REG{3}", port,
                               cascreg, reg, reg == 2 ? ", or be 1" : ""));
}

void check_autoreset(const A& a, Broken& broken) {
  if (a.autoreset_patdet == AutoReset::no_reset) return;
  auto value = choice("AUTORESET_PATDET", a);
  if (a.use_pattern_detect != UsePatternDetect::patdet)
    broken.push_back(fmt::format(
        "AUTORESET_PATDET is {} with USE_PATTERN_DETECT NO_PATDET: it needs PATDET", value));
  if (a.preg == 0)
    broken.push_back(
        fmt::format("AUTORESET_PATDET is {} with PREG 0: it clears P, so PREG must be 1", value));
}

// A field of a control bus after the pin inverters.
struct Field {
  unsigned value, known, width;
  bool is(unsigned v) const { return known == (1u << width) - 1 && value == v; }
  bool is_not(unsigned v) const { return ((value ^ v) & known) != 0; }
};

Field field(Dsp48e2KnownBits bits, unsigned inverted, unsigned at, unsigned width) {
  unsigned mask = (1u << width) - 1, known = (bits.known >> at) & mask;
  return {((bits.value ^ inverted) >> at) & known, known, width};
}

struct Controls {
  Field w, z, y, x, alumode, logic, carryinsel, inmode;
  Controls(const A& a, const Dsp48e2KnownControls& c)
      : w(field(c.opmode, a.is_opmode_inverted, 7, 2)),
        z(field(c.opmode, a.is_opmode_inverted, 4, 3)),
        y(field(c.opmode, a.is_opmode_inverted, 2, 2)),
        x(field(c.opmode, a.is_opmode_inverted, 0, 2)),
        alumode(field(c.alumode, a.is_alumode_inverted, 0, 4)),
        logic(field(c.alumode, a.is_alumode_inverted, 2, 2)),
        carryinsel(field(c.carryinsel, 0, 0, 3)),
        inmode(field(c.inmode, a.is_inmode_inverted, 0, 5)) {}

  // The logic unit is on: ALUMODE[3:2] is 01 or 11, that is bit 2 is 1.
  bool logic_unit() const { return (logic.known & logic.value & 1) != 0; }
  bool shifted_p() const { return z.known >= 6 && (z.value & 6) == 6; }
};

void check_multiplier(const A& a, const Controls& c, Broken& broken) {
  if ((c.x.is(1) && c.y.is_not(1)) || (c.y.is(1) && c.x.is_not(1)))
    broken.push_back(
        "OPMODE selects M on one of X and Y only: each carries a half of the product, so "
        "OPMODE[1:0] is 01 if and only if OPMODE[3:2] is 01");
  if (a.use_mult == UseMult::none && (c.x.is(1) || c.y.is(1)))
    broken.push_back(
        "OPMODE selects M with USE_MULT NONE: the product needs USE_MULT MULTIPLY or DYNAMIC");
  bool ab = a.areg != 0 || a.breg != 0;
  if (c.x.is(3) && a.use_mult == UseMult::multiply && ab + a.mreg + a.preg < 2)
    broken.push_back(
        "OPMODE[1:0] is 11 (A:B) with USE_MULT MULTIPLY: two of (AREG or BREG), MREG and PREG must "
        "not be 0, or USE_MULT must be DYNAMIC or NONE");
}

void check_feedback(const A& a, const Controls& c, Broken& broken) {
  if (a.preg != 0) return;
  auto needs_p = [&](std::string_view what) {
    broken.push_back(fmt::format("{} reads P with PREG 0: PREG must be 1", what));
  };
  if (c.x.is(2)) needs_p("OPMODE[1:0] 10");
  if (c.z.is(2) || c.z.is(4) || c.shifted_p())
    needs_p(fmt::format("OPMODE[6:4] {}", c.z.is(2) ? "010" : c.z.is(4) ? "100" : "11x"));
  if (c.w.is(1)) needs_p("OPMODE[8:7] 01");
  for (unsigned sel : {4u, 5u, 7u})
    if (c.carryinsel.is(sel)) needs_p(fmt::format("CARRYINSEL {:03b}", sel));
}

void check_carry(const A& a, const Controls& c, Broken& broken) {
  if (c.carryinsel.is(2) && a.opmodereg == 0)
    broken.push_back(
        "CARRYINSEL is 010 (CARRYCASCIN) with OPMODEREG 0: OPMODEREG must be 1, or the sum after a "
        "reset is not what is simulated");
  if (c.carryinsel.is(2) && c.x.is(1) && c.y.is(1))
    broken.push_back(
        "CARRYINSEL is 010 (CARRYCASCIN) with OPMODE[3:0] 0101 (M): a cascaded carry cannot be "
        "added to a product");
  if (c.carryinsel.is(6) && a.use_mult == UseMult::none)
    broken.push_back(
        "CARRYINSEL is 110 (rounding of the product) with USE_MULT NONE: it needs USE_MULT "
        "MULTIPLY or DYNAMIC");
  if (c.z.is(4) && (c.w.is_not(0) || c.y.is_not(2) || c.x.is_not(0)))
    broken.push_back(
        fmt::format("OPMODE[6:4] is 100 (MACC extend): OPMODE must then be {}100_10_00 as a whole",
                    a.kind == Kind::dsp48e1 ? "" : "00_"));
}

// By OPMODE[6:4] and OPMODE[3:0]: bit i is set if CARRYINSEL may be i. UG479 limits the carries to
// operands that they can belong to, and the vendor's model answers x to all other pairs.
// clang-format off
constexpr std::array<std::array<std::uint8_t, 16>, 7> carries_of_dsp48e1{{
    {0x01, 0x00, 0x05, 0x15, 0x00, 0x01, 0x00, 0x00, 0x01, 0x00, 0x05, 0x15, 0x15, 0x00, 0xa5, 0x15},  // 000
    {0x01, 0x00, 0xa1, 0x0b, 0x00, 0x4b, 0x00, 0x00, 0x01, 0x00, 0xa1, 0x0b, 0x0b, 0x00, 0xab, 0x0b},  // 001
    {0x05, 0x00, 0x05, 0xa5, 0x00, 0xa1, 0x00, 0x00, 0x05, 0x00, 0x01, 0xa1, 0xa5, 0x00, 0xa1, 0xa1},  // 010
    {0x15, 0x00, 0xa5, 0x15, 0x00, 0x41, 0x00, 0x00, 0x15, 0x00, 0xa1, 0x01, 0x05, 0x00, 0x01, 0x01},  // 011
    {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00},  // 100
    {0x01, 0x00, 0xa1, 0x0b, 0x00, 0x4b, 0x00, 0x00, 0x01, 0x00, 0xa1, 0x0b, 0x0b, 0x00, 0xab, 0x0b},  // 101
    {0x01, 0x00, 0x01, 0xa1, 0x00, 0xa1, 0x00, 0x00, 0x01, 0x00, 0x01, 0xa1, 0xa1, 0x00, 0xa1, 0xa1},  // 110
}};
// clang-format on

std::string digits(const Field& f) {
  std::string text;
  for (unsigned i = f.width; i-- > 0;)
    text += (f.known >> i & 1) == 0 ? 'x' : (f.value >> i & 1) != 0 ? '1' : '0';
  return text;
}

// What only the DSP48E1 forbids.
void check_dsp48e1(const A& a, const Controls& c, Field opmode, Broken& broken) {
  if (c.z.is(7)) broken.push_back("OPMODE[6:4] is 111: use 110 for P >> 17");
  auto tied = [&](unsigned mask, std::string_view bits, std::string_view because) {
    if ((c.inmode.value & mask) != 0)
      broken.push_back(
          fmt::format("{} is not 0 with {}: nothing is selected there", bits, because));
  };
  if (a.areg == 0) tied(1, "INMODE[0]", "AREG 0");
  if (a.breg == 0) tied(16, "INMODE[4]", "BREG 0");
  if (a.amultsel == AMultSel::a) tied(12, "INMODE[3:2]", "USE_DPORT FALSE");
  if (!broken.empty()) return;
  unsigned carries = 0;  // that go with any OPMODE of these constant bits
  for (unsigned o = 0; o < 7 * 16; ++o)
    if (((o ^ opmode.value) & opmode.known) == 0) carries |= carries_of_dsp48e1[o / 16][o % 16];
  std::vector<std::string> legal;
  for (unsigned sel = 0; sel < 8; ++sel) {
    if ((carries >> sel & 1) == 0) continue;
    if (((sel ^ c.carryinsel.value) & c.carryinsel.known) == 0) return;
    legal.push_back(fmt::format("{:03b}", sel));
  }
  broken.push_back(fmt::format("CARRYINSEL is {} with OPMODE {}: it must be {}",
                               digits(c.carryinsel), digits(opmode), fmt::join(legal, " or ")));
}

void check_logic_unit(const Controls& c, Broken& broken) {
  if (c.logic.is(2))
    broken.push_back("ALUMODE is 10xx; it must be 00xx (adder), or 01xx or 11xx (logic unit)");
  if (!c.logic_unit()) return;
  if (c.w.is_not(0)) broken.push_back("ALUMODE selects the logic unit: OPMODE[8:7] (W) must be 00");
  if (c.y.is_not(0) && c.y.is_not(2))
    broken.push_back("ALUMODE selects the logic unit: OPMODE[3:2] (Y) must be 00 or 10");
  if (c.x.is(1))
    broken.push_back(
        "ALUMODE selects the logic unit: OPMODE[1:0] (X) must be 00, 10 (P) or 11 (A:B)");
}

}  // namespace

std::vector<std::string> violations(const Dsp48e2Attributes& a) {
  Broken broken;
  for (const auto& p : dsp_parameters(a.kind))
    if (p.get(a) > p.max)
      broken.push_back(
          fmt::format("{} is {}; it must be at most {}", p.param.name, p.get(a), p.max));
  if (!broken.empty()) return broken;  // the other rules rely on legal values
  check_cascade('A', a.areg, a.acascreg, broken);
  check_cascade('B', a.breg, a.bcascreg, broken);
  if (a.use_mult == UseMult::none && a.mreg != 0)
    broken.push_back("USE_MULT is NONE with MREG 1: without the multiplier MREG must be 0");
  if (a.use_simd != UseSimd::one48 && a.use_mult != UseMult::none)
    broken.push_back(fmt::format("USE_SIMD is {} with USE_MULT {}: it needs USE_MULT NONE",
                                 choice("USE_SIMD", a), choice("USE_MULT", a)));
  check_autoreset(a, broken);
  return broken;
}

std::vector<std::string> violations(const Dsp48e2Attributes& a,
                                    const Dsp48e2KnownControls& controls) {
  Broken broken = violations(a);
  Controls c(a, controls);
  check_multiplier(a, c, broken);
  check_feedback(a, c, broken);
  check_carry(a, c, broken);
  check_logic_unit(c, broken);
  if (a.kind == Kind::dsp48e1)
    check_dsp48e1(a, c, field(controls.opmode, a.is_opmode_inverted, 0, opmode_bits_of_dsp48e1),
                  broken);
  return broken;
}

}  // namespace kumiki::ir
