// SPDX-License-Identifier: Apache-2.0
// Which configurations of a DSP48E2 or DSP48E1 and which constants on its control pins may be
// built. Every broken rule is a sentence: what is set, the rule, what is required.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/primitives/dsp48e2_attributes.h"

namespace kumiki::ir {

// The bits of a control bus that are tied to constants in the netlist.
struct Dsp48e2KnownBits {
  std::uint16_t value = 0, known = 0;
};

struct Dsp48e2KnownControls {
  Dsp48e2KnownBits opmode, alumode, carryinsel, inmode;  // as on the pins, before the IS_*_INVERTED
};

// Rules over the attributes alone.
std::vector<std::string> violations(const Dsp48e2Attributes& attributes);

// Rules over the attributes and the constants on OPMODE, ALUMODE and CARRYINSEL: reported if every
// possible value of the other bits breaks them.
std::vector<std::string> violations(const Dsp48e2Attributes& attributes,
                                    const Dsp48e2KnownControls& controls);

}  // namespace kumiki::ir
