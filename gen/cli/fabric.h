// SPDX-License-Identifier: Apache-2.0
// Layers without a DSP slice in their naive form: Yosys synthesises the Verilog definition that
// `prove` uses, and its LUT sites and carries are compared with those of the layer.
#pragma once
#include <optional>

#include "gen/cli/options.h"

namespace kumiki::cli {

// {luts, carries} of every layer's naive form, or {why} there is none. Yosys gets `seconds` for
// each.
std::vector<Json> naive_forms(const Project& project, unsigned seconds);

}  // namespace kumiki::cli
