// SPDX-License-Identifier: Apache-2.0
// Which input pins of a DSP slice reach which output pins without a register in between, for any
// value of the dynamic controls. Loop checks and levelisation use it.
#pragma once
#include <cstdint>

#include "ir/primitives/dsp48e2_attributes.h"

namespace kumiki::ir {

// Bit i: dsp48e2_input_pins[i]; `output` counts dsp48e2_output_pins.
std::uint64_t combinational_inputs(const Dsp48e2Attributes& attributes, unsigned output);

}  // namespace kumiki::ir
