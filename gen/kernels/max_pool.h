// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "gen/kernels/planes.h"
#include "gen/kernels/workers.h"

namespace kumiki::gen::kernels {

// The most of the numbers under each window; padding is left out. Every window must see a number.
void max_pool(const Taps& taps, std::size_t channels, const std::int32_t* map,
              std::int32_t* results, Workers& workers);

}  // namespace kumiki::gen::kernels
