// SPDX-License-Identifier: Apache-2.0
// The clocks of a program: what every step takes, and what it waits for. Maps move while operations
// compute, as far as Program::waits allows.
//
// Weights come in the order in which they are used and run ahead as far as the ring has room. A
// word is free when the last pixels of its tile have read it.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

enum class Bound : std::uint8_t { products, results, weights, maps };
std::string_view name_of(Bound bound);

struct StepPace {
  std::int64_t begin = 0, end = 0;               // clocks of the frame
  std::int64_t busy = 0;                         // if nothing waits
  std::int64_t weight_waits = 0, map_waits = 0;  // clocks that it waits for
  std::int64_t macs = 0;                         // that the network asks for
  std::int64_t weight_bytes = 0, map_bytes = 0;  // through the ports
  Bound bound = Bound::products;
};

struct ProgramPace {
  std::vector<StepPace> steps;
  std::int64_t clocks = 0, macs = 0, weight_bytes = 0, map_bytes = 0;
};

ProgramPace pace_of(const Program& program);

}  // namespace kumiki::gen::engine
