// SPDX-License-Identifier: Apache-2.0
// Which layer types say what they do in plain Verilog, for `kumiki prove`.
#pragma once
#include <optional>

#include "gen/config/document.h"
#include "gen/proof/reference.h"

namespace kumiki::gen {

// Nothing for a type that has no such definition yet.
std::optional<proof::Reference> reference_of(const config::Layer& layer, const Layer& made,
                                             const config::Target& target);

}  // namespace kumiki::gen
