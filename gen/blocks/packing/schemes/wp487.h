// SPDX-License-Identifier: Apache-2.0
// Parts that all forms of WP487 share: a pair of lanes read as two's complement. The upper lane is
// too small by one if the lower one is negative.
#pragma once
#include <vector>

#include "gen/blocks/packing/schemes/draft.h"

namespace kumiki::gen::packing::wp487 {

// Ports and lanes of the signed form (pre-adder) and of the unsigned form (A only, bias added
// back). False: refused.
[[nodiscard]] bool lay_out_signed(Draft& draft);
[[nodiscard]] bool lay_out_unsigned(Draft& draft);
// N: the most terms for which the low lane stays a two's complement number of G bits.
std::int64_t limit(const Draft& draft);
// Records that `terms` terms fit, with the legal number for the message.
void prove_chain(Draft& draft, std::int64_t terms, const std::string& instead);
// The low lane and the high lane of the word at the end of a chain.
Signal low(const Draft& draft, int slice);
std::vector<Signal> high(const Draft& draft, int slice, std::int64_t terms);
// The whole plan, with slices that add segments and increment.
Planned in_slices(Draft draft);

}  // namespace kumiki::gen::packing::wp487
