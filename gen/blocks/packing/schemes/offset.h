// SPDX-License-Identifier: Apache-2.0
// Chains of biased lanes, for the schemes that are built from them.
#pragma once
#include "gen/blocks/packing/schemes/draft.h"

namespace kumiki::gen::packing::offset {

// Proves that every biased lane stays in its field for `terms` terms, and the top lane in its own.
void prove_chain(Draft& draft, std::int64_t terms);
// N: as tuned, or as many terms as the lanes hold, but at most the terms of a cycle.
std::int64_t chain_length(const Draft& draft);
// Parallel chains: wires read the lanes, the fabric adds them.
Planned chains_in_fabric(Draft draft, const Grid& grid);

}  // namespace kumiki::gen::packing::offset
