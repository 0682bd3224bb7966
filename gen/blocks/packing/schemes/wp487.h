// SPDX-License-Identifier: Apache-2.0
// Parts that WP487's forms share: a pair of lanes read as two's complement. The upper lane is too
// small by one whenever the lower one is negative.
#pragma once
#include <vector>

#include "gen/blocks/packing/schemes/draft.h"

namespace kumiki::gen::packing::wp487 {

// Ports and lanes of the signed form (pre-adder) and of the unsigned one (A alone, bias given
// back).
void lay_out_signed(Draft& draft);
void lay_out_unsigned(Draft& draft);
// N: terms for which the low lane stays a two's complement number of G bits.
std::int64_t limit(const Draft& draft);
// Records that `terms` terms fit, with what would be legal.
void prove_chain(Draft& draft, std::int64_t terms, const std::string& instead);
// The low lane and the high lane of the word at the end of a chain.
Signal low(const Draft& draft, int slice);
std::vector<Signal> high(const Draft& draft, int slice, std::int64_t terms);
// The whole plan with segments added and incremented in slices.
PackingPlan in_slices(Draft draft);

}  // namespace kumiki::gen::packing::wp487
