// SPDX-License-Identifier: Apache-2.0
// Proves a layer's netlist against its definition in plain Verilog.
#pragma once
#include "backends/formal/prove.h"
#include "gen/layer/layer.h"

namespace kumiki::flow {

backends::proof::Question question_of(const gen::proof::Reference& definition);

// Proves the layer alone, as built for the family. DesignError if it has no definition.
backends::proof::Verdict prove(const gen::NamedLayer& layer, ir::Family family,
                               const backends::proof::Effort& effort = {},
                               const ir::Limits& limits = {});

}  // namespace kumiki::flow
