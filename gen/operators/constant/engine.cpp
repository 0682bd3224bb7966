// SPDX-License-Identifier: Apache-2.0
// A constant on the engine: its numbers are in the program, and come as those of an input do.
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {

std::string no_unit(const Known&, const graph::Node&, const graph::Constant&) { return {}; }

void to_engine(Lowerer&, const Job&, const graph::Constant&) {}

}  // namespace kumiki::gen::engine
