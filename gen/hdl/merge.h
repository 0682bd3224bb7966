// SPDX-License-Identifier: Apache-2.0
// The LUTs of a module's expressions together, when all are known.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "ir/design.h"

namespace kumiki::gen::detail {

// `written`: the nets that LUTs of expressions drive; nothing else of the module changes, and no
// LUT is added. Equal LUTs become one. A LUT that only expressions read goes into its readers where
// all of them have room, which saves it. One that stays, because others read it too, is repeated in
// a reader that gets less deep by that. So neither LUTs nor levels can become more than they were
// written. Whether something changed: then joins are to be resolved and the module swept.
bool merge_luts(ir::Module& module, const std::unordered_map<std::uint32_t, unsigned>& written);

}  // namespace kumiki::gen::detail
