// SPDX-License-Identifier: Apache-2.0
// The delays of a DSP slice, given the registers that it uses.
#pragma once
#include <array>
#include <string>

#include "ir/delays.h"
#include "ir/primitives/dsp48e2_pins.h"

namespace kumiki::backends::timing {

using ir::timing::ClockLimits;
using ir::timing::Delays;
using ir::timing::Picoseconds;

inline constexpr Picoseconds never = -1;  // no signal comes this way

// By the pins of the DSP48E2; those of the DSP48E1 have the same order.
struct DspTiming {
  static constexpr std::size_t inputs = ir::dsp48e2_input_pins.size(),
                               outputs = ir::dsp48e2_output_pins.size();
  std::array<Picoseconds, outputs> clk_to{};                       // from a register inside
  std::array<std::array<Picoseconds, outputs>, inputs> through{};  // without a register
  std::array<Picoseconds, inputs> setup{};                         // before a register inside
};

DspTiming dsp_timing(const ir::Dsp48e2Attributes& attributes, const Delays& delays);

// The data sheet's fastest clock for these registers.
std::uint32_t dsp_limit(const ir::Dsp48e2Attributes& attributes, const ClockLimits& limits);
std::string dsp_registers(const ir::Dsp48e2Attributes& attributes);  // "without M", for people

}  // namespace kumiki::backends::timing
