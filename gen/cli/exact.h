// SPDX-License-Identifier: Apache-2.0
// What the column `exact` of a bench says: the netlist is legal and has run in lockstep with its
// model, with results.
#pragma once
#include "gen/cli/cli.h"
#include "gen/network.h"

namespace kumiki::cli {

// Natively, and under Verilator when the options ask for it; `cycles` unless they say otherwise.
bool is_exact(const gen::BuiltNetwork& network, const ir::Design& design, const Options& options,
              std::uint64_t cycles, std::uint64_t resets);

}  // namespace kumiki::cli
