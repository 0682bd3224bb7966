// SPDX-License-Identifier: Apache-2.0
// What a DSP48E2 computes, in integers: the readable specification that the vendor's traces, the
// Verilog model and the 64-lane kernel are held against. Defined for every value of the dynamic
// controls, also for those that the rules of dsp48e2_legality.h forbid.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/primitives/dsp48e2_attributes.h"

namespace kumiki::ir {

// One member a pin, in the vendor's (alphabetical) order; unused high bits are 0. The clock is not a
// value: clock() is its active edge.
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

// The registers; all start at 0. One that an attribute leaves out keeps 0.
struct Dsp48e2State {
  std::uint64_t c = 0, m = 0, p = 0;  // m as the multiplier's two words hold it: see the .cpp
  std::uint32_t a1 = 0, a2 = 0, b1 = 0, b2 = 0, d = 0, ad = 0;
  std::uint16_t opmode = 0;
  std::uint8_t alumode = 0, inmode = 0, carryinsel = 0, carryin = 0, roundcarry = 0;
  std::uint8_t carryout = 0, carrycascout = 0, multsignout = 0, xorout = 0;
  std::uint8_t patterndetect = 0, patternbdetect = 0, patterndetect_past = 0,
               patternbdetect_past = 0;
  friend bool operator==(const Dsp48e2State&, const Dsp48e2State&) = default;
};

// The pins by name and width; member is null for CLK.
struct Dsp48e2InputPin {
  std::string_view name;
  std::uint8_t width;
  std::uint64_t Dsp48e2Inputs::* member;
};
struct Dsp48e2OutputPin {
  std::string_view name;
  std::uint8_t width;
  std::uint64_t Dsp48e2Outputs::* member;
};
std::span<const Dsp48e2InputPin> dsp48e2_input_pins();
std::span<const Dsp48e2OutputPin> dsp48e2_output_pins();

// What the pins show for the present inputs, and the active clock edge.
Dsp48e2Outputs outputs(const Dsp48e2Attributes& attributes, const Dsp48e2State& state,
                       const Dsp48e2Inputs& in);
void clock(const Dsp48e2Attributes& attributes, Dsp48e2State& state, const Dsp48e2Inputs& in);

}  // namespace kumiki::ir
