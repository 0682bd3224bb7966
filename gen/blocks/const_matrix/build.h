// SPDX-License-Identifier: Apache-2.0
// The netlist of a network.
#pragma once
#include <vector>

#include "gen/blocks/const_matrix/network.h"
#include "gen/hdl/scope.h"

namespace kumiki::gen::const_matrix {

// One word for each output, `output_bits()` wide; behind registers if there is a latency. `x` has
// the raw bits of the inputs. All enables always have the same value; nodes use them in turn, so
// that no net has too many readers.
std::vector<UInt> build_network(Scope& s, const Network& network, const std::vector<UInt>& x,
                                const std::vector<Net>& enables);
inline std::vector<UInt> build_network(Scope& s, const Network& network, const std::vector<UInt>& x,
                                       Net enable) {
  return build_network(s, network, x, std::vector{enable});
}

}  // namespace kumiki::gen::const_matrix
