// SPDX-License-Identifier: Apache-2.0
// What a layer does in a clock, as its plan says.
#pragma once
#include <optional>

#include "gen/layer/layer.h"

namespace kumiki::cli {

// Nothing when it does not multiply.
std::optional<double> macs_per_cycle(const gen::Json& plan);

}  // namespace kumiki::cli
