// SPDX-License-Identifier: Apache-2.0
// Layers without a DSP slice: their LUT sites and carries, and those of the form that everybody
// writes first, as Yosys makes it of the definition in Verilog that `prove` compares with.
#pragma once
#include <optional>

#include "gen/cli/options.h"

namespace kumiki::cli {

// {luts, carries} of a layer with all that is in it; nothing when it has DSP slices. Sites that
// only bring a bit into a carry chain are counted too.
std::optional<Json> fabric_of(const Project& project, std::size_t layer);

// {luts, carries} of the naive form of every layer, or {why} there is none: Yosys gets so many
// seconds for each.
std::vector<Json> naive_forms(const Project& project, unsigned seconds);

}  // namespace kumiki::cli
