// SPDX-License-Identifier: Apache-2.0
// The pins of the DSP48E2 and the DSP48E1 in the vendor's (alphabetical) order: values, widths, and
// the tie of an unused pin.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/arch.h"
#include "ir/primitives/dsp48e2_attributes.h"

namespace kumiki::ir {

// Unused high bits are 0. The clock is not a value: clock() is its active edge.
struct Dsp48e2Inputs {
  std::uint64_t a = 0, acin = 0, alumode = 0, b = 0, bcin = 0, c = 0;
  std::uint64_t carrycascin = 0, carryin = 0, carryinsel = 0;
  std::uint64_t cea1 = 0, cea2 = 0, cead = 0, cealumode = 0, ceb1 = 0, ceb2 = 0, cec = 0;
  std::uint64_t cecarryin = 0, cectrl = 0, ced = 0, ceinmode = 0, cem = 0, cep = 0;
  std::uint64_t d = 0, inmode = 0, multsignin = 0, opmode = 0, pcin = 0;
  std::uint64_t rsta = 0, rstallcarryin = 0, rstalumode = 0, rstb = 0, rstc = 0, rstctrl = 0;
  std::uint64_t rstd = 0, rstinmode = 0, rstm = 0, rstp = 0;
};

struct Dsp48e2Outputs {
  std::uint64_t acout = 0, bcout = 0, carrycascout = 0, carryout = 0, multsignout = 0, overflow = 0;
  std::uint64_t p = 0, patternbdetect = 0, patterndetect = 0, pcout = 0, underflow = 0, xorout = 0;
  friend bool operator==(const Dsp48e2Outputs&, const Dsp48e2Outputs&) = default;
};

struct Dsp48e2InputPin {
  std::string_view name;
  std::uint8_t width;
  std::uint64_t Dsp48e2Inputs::*member;  // null for CLK
  Tie tie;
};

struct Dsp48e2OutputPin {
  std::string_view name;
  std::uint8_t width;
  std::uint64_t Dsp48e2Outputs::*member;
};

// Enables are tied to 1: an existing register works, and one that does not exist ignores it.
// Cascades stay open: they are wires between neighbours that no constant reaches.
inline constexpr auto dsp48e2_input_pins = std::to_array<Dsp48e2InputPin>({
    {"A", 30, &Dsp48e2Inputs::a, Tie::zero},
    {"ACIN", 30, &Dsp48e2Inputs::acin, Tie::open},
    {"ALUMODE", 4, &Dsp48e2Inputs::alumode, Tie::zero},
    {"B", 18, &Dsp48e2Inputs::b, Tie::zero},
    {"BCIN", 18, &Dsp48e2Inputs::bcin, Tie::open},
    {"C", 48, &Dsp48e2Inputs::c, Tie::zero},
    {"CARRYCASCIN", 1, &Dsp48e2Inputs::carrycascin, Tie::open},
    {"CARRYIN", 1, &Dsp48e2Inputs::carryin, Tie::zero},
    {"CARRYINSEL", 3, &Dsp48e2Inputs::carryinsel, Tie::zero},
    {"CEA1", 1, &Dsp48e2Inputs::cea1, Tie::one},
    {"CEA2", 1, &Dsp48e2Inputs::cea2, Tie::one},
    {"CEAD", 1, &Dsp48e2Inputs::cead, Tie::one},
    {"CEALUMODE", 1, &Dsp48e2Inputs::cealumode, Tie::one},
    {"CEB1", 1, &Dsp48e2Inputs::ceb1, Tie::one},
    {"CEB2", 1, &Dsp48e2Inputs::ceb2, Tie::one},
    {"CEC", 1, &Dsp48e2Inputs::cec, Tie::one},
    {"CECARRYIN", 1, &Dsp48e2Inputs::cecarryin, Tie::one},
    {"CECTRL", 1, &Dsp48e2Inputs::cectrl, Tie::one},
    {"CED", 1, &Dsp48e2Inputs::ced, Tie::one},
    {"CEINMODE", 1, &Dsp48e2Inputs::ceinmode, Tie::one},
    {"CEM", 1, &Dsp48e2Inputs::cem, Tie::one},
    {"CEP", 1, &Dsp48e2Inputs::cep, Tie::one},
    {"CLK", 1, nullptr, Tie::required},
    {"D", 27, &Dsp48e2Inputs::d, Tie::zero},
    {"INMODE", 5, &Dsp48e2Inputs::inmode, Tie::zero},
    {"MULTSIGNIN", 1, &Dsp48e2Inputs::multsignin, Tie::open},
    {"OPMODE", dsp48e2::opmode_bits, &Dsp48e2Inputs::opmode, Tie::zero},
    {"PCIN", 48, &Dsp48e2Inputs::pcin, Tie::open},
    {"RSTA", 1, &Dsp48e2Inputs::rsta, Tie::zero},
    {"RSTALLCARRYIN", 1, &Dsp48e2Inputs::rstallcarryin, Tie::zero},
    {"RSTALUMODE", 1, &Dsp48e2Inputs::rstalumode, Tie::zero},
    {"RSTB", 1, &Dsp48e2Inputs::rstb, Tie::zero},
    {"RSTC", 1, &Dsp48e2Inputs::rstc, Tie::zero},
    {"RSTCTRL", 1, &Dsp48e2Inputs::rstctrl, Tie::zero},
    {"RSTD", 1, &Dsp48e2Inputs::rstd, Tie::zero},
    {"RSTINMODE", 1, &Dsp48e2Inputs::rstinmode, Tie::zero},
    {"RSTM", 1, &Dsp48e2Inputs::rstm, Tie::zero},
    {"RSTP", 1, &Dsp48e2Inputs::rstp, Tie::zero},
});

inline constexpr auto dsp48e2_output_pins = std::to_array<Dsp48e2OutputPin>({
    {"ACOUT", 30, &Dsp48e2Outputs::acout},
    {"BCOUT", 18, &Dsp48e2Outputs::bcout},
    {"CARRYCASCOUT", 1, &Dsp48e2Outputs::carrycascout},
    {"CARRYOUT", 4, &Dsp48e2Outputs::carryout},
    {"MULTSIGNOUT", 1, &Dsp48e2Outputs::multsignout},
    {"OVERFLOW", 1, &Dsp48e2Outputs::overflow},
    {"P", 48, &Dsp48e2Outputs::p},
    {"PATTERNBDETECT", 1, &Dsp48e2Outputs::patternbdetect},
    {"PATTERNDETECT", 1, &Dsp48e2Outputs::patterndetect},
    {"PCOUT", 48, &Dsp48e2Outputs::pcout},
    {"UNDERFLOW", 1, &Dsp48e2Outputs::underflow},
    {"XOROUT", 8, &Dsp48e2Outputs::xorout},
});

// The DSP48E1 has narrower pins D and OPMODE, and no XOROUT, which is the last one.
inline constexpr auto dsp48e1_input_pins = [] {
  auto pins = dsp48e2_input_pins;
  for (auto& pin : pins) {
    if (pin.name == "D") pin.width = arch::dsp48e1.d;
    if (pin.name == "OPMODE") pin.width = dsp48e2::opmode_bits_of_dsp48e1;
  }
  return pins;
}();

inline constexpr auto dsp48e1_output_pins = [] {
  std::array<Dsp48e2OutputPin, dsp48e2_output_pins.size() - 1> pins{};
  for (std::size_t i = 0; i < pins.size(); ++i) pins[i] = dsp48e2_output_pins[i];
  return pins;
}();

constexpr std::span<const Dsp48e2InputPin> dsp_input_pins(Kind kind) {
  if (kind == Kind::dsp48e1) return dsp48e1_input_pins;
  return dsp48e2_input_pins;
}
constexpr std::span<const Dsp48e2OutputPin> dsp_output_pins(Kind kind) {
  if (kind == Kind::dsp48e1) return dsp48e1_output_pins;
  return dsp48e2_output_pins;
}

// The pins of the dedicated wires from a slice to the one above it.
struct Dsp48e2Cascade {
  std::string_view output, input;
};
inline constexpr auto dsp_cascades = std::to_array<Dsp48e2Cascade>({
    {"PCOUT", "PCIN"},
    {"ACOUT", "ACIN"},
    {"BCOUT", "BCIN"},
    {"CARRYCASCOUT", "CARRYCASCIN"},
    {"MULTSIGNOUT", "MULTSIGNIN"},
});

}  // namespace kumiki::ir
