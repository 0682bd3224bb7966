// SPDX-License-Identifier: Apache-2.0
// The clocks of a program on the engine as it is built, if its streams never pause: without
// numbers, tile by tile.
#pragma once
#include <cstdint>

#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

std::int64_t forecast(const EnginePlan& plan, const Program& program);

}  // namespace kumiki::gen::engine
