// SPDX-License-Identifier: Apache-2.0
// A DSP48E2 or DSP48E1 for 64 simulations at a time, a bit a word, for the native simulator. It
// computes the same as tests/support/dsp48e2_model.h in another arrangement; tests compare the two.
#pragma once
#include <cstddef>

#include "ir/primitives/dsp48e2_attributes.h"
#include "ir/primitives/dsp48e2_pins.h"

namespace kumiki::ir {

// `in` and `out` are all pins in table order; state is memory of state_words() words. The
// attributes are kept in the state, so they are decoded once.
std::size_t dsp48e2_lane_state_words();
void dsp48e2_lane_power_up(const Dsp48e2Attributes& attributes, Lanes* state);
void dsp48e2_lane_evaluate(const Lanes* in, const Lanes* state, Lanes* out);
void dsp48e2_lane_clock(const Lanes* in, Lanes* state);

}  // namespace kumiki::ir
