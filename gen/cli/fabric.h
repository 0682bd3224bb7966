// SPDX-License-Identifier: Apache-2.0
// Layers without a DSP slice in the form that everybody writes first, as Yosys makes it of the
// definition in Verilog that `prove` compares with: LUT sites and carries beside those of the
// layer.
#pragma once
#include <optional>

#include "gen/cli/options.h"

namespace kumiki::cli {

// {luts, carries} of the naive form of every layer, or {why} there is none: Yosys gets so many
// seconds for each.
std::vector<Json> naive_forms(const Project& project, unsigned seconds);

}  // namespace kumiki::cli
