// SPDX-License-Identifier: Apache-2.0
// The two layouts of 64 simulations: a value for each lane, or a 64-lane word for each bit.
#pragma once
#include <cstdint>
#include <span>

#include "ir/primitive.h"

namespace kumiki::backends {

inline constexpr unsigned lane_count = 64;

constexpr ir::Lanes all_lanes(bool bit) { return ir::Lanes{0} - static_cast<ir::Lanes>(bit); }

// Converts 64 values of bits.size() <= 64 bits into as many bit slices. Ignores higher bits.
void slice(std::span<const std::uint64_t, lane_count> values, std::span<ir::Lanes> bits);

// The inverse of `slice`; bits past bits.size() become 0.
void unslice(std::span<const ir::Lanes> bits, std::span<std::uint64_t, lane_count> values);

}  // namespace kumiki::backends
