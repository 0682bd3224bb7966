// SPDX-License-Identifier: Apache-2.0
// Which layer types say what they do in plain Verilog, for `kumiki prove`.
#pragma once
#include <optional>
#include <string>

#include "gen/config/document.h"
#include "gen/layer/reference.h"

namespace kumiki::gen {

// Nothing for a layer that has none: `why_no_reference` says why.
std::optional<proof::Reference> reference_of(const config::Layer& layer, const Layer& made,
                                             const config::Target& target);
std::string why_no_reference(const config::Layer& layer, const Layer& made);

}  // namespace kumiki::gen
