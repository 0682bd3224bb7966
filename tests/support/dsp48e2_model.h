// SPDX-License-Identifier: Apache-2.0
// What a DSP48E2 computes, in integers: the readable specification. The vendor's traces, the
// Verilog model and the 64-lane kernel are compared with it. It is defined for every value of the
// dynamic controls, including those that the rules of dsp48e2_legality.h forbid.
#pragma once
#include <cstdint>
#include <string>

#include "ir/primitives/dsp48e2_attributes.h"
#include "ir/primitives/dsp48e2_pins.h"

namespace kumiki::ir {

// The registers; all start at 0. A register that an attribute removes stays 0.
struct Dsp48e2State {
  std::uint64_t c = 0, m = 0, p = 0;  // m as in the multiplier's two words: see the .cpp
  std::uint32_t a1 = 0, a2 = 0, b1 = 0, b2 = 0, d = 0, ad = 0;
  std::uint16_t opmode = 0;
  std::uint8_t alumode = 0, inmode = 0, carryinsel = 0, carryin = 0, roundcarry = 0;
  std::uint8_t carryout = 0, carrycascout = 0, multsignout = 0, xorout = 0;
  std::uint8_t patterndetect = 0, patternbdetect = 0, patterndetect_past = 0,
               patternbdetect_past = 0;
  friend bool operator==(const Dsp48e2State&, const Dsp48e2State&) = default;
};

// The values of the pins for the present inputs, and the active clock edge.
Dsp48e2Outputs outputs(const Dsp48e2Attributes& attributes, const Dsp48e2State& state,
                       const Dsp48e2Inputs& in);
void clock(const Dsp48e2Attributes& attributes, Dsp48e2State& state, const Dsp48e2Inputs& in);

std::string verilog_value(const Dsp48e2Parameter& parameter, std::uint64_t value);
// ".AREG(2), .USE_MULT("NONE")": the parameters that differ from their defaults.
std::string verilog_parameters(const Dsp48e2Attributes& attributes);

}  // namespace kumiki::ir
