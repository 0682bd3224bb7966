// SPDX-License-Identifier: Apache-2.0
// Random weights for a layer that requests them; the same on every machine.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/arith/interval.h"

namespace kumiki::gen {

std::vector<std::int64_t> random_weights(std::int64_t count, const arith::Interval& range,
                                         std::uint32_t seed);

}  // namespace kumiki::gen
