// SPDX-License-Identifier: Apache-2.0
// Merges the LUTs of a module's expressions when all of them are known.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "ir/design.h"

namespace kumiki::gen::detail {

// `written`: the nets that LUTs of expressions drive; nothing else of the module changes, and no
// LUT is added. Equal LUTs become one. A LUT that only expressions read is merged into its readers
// if all of them have room, which saves it. One that remains because others read it too is repeated
// in a reader that becomes less deep. So there are never more LUTs or levels than were written.
// Returns whether something changed; then joins must be resolved and the module swept.
bool merge_luts(ir::Module& module, const std::unordered_map<std::uint32_t, unsigned>& written);

}  // namespace kumiki::gen::detail
