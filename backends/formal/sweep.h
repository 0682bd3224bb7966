// SPDX-License-Identifier: Apache-2.0
// Gates that compute the same are made one: those of up to 16 inputs by trying every case. SAT
// finds two multipliers of different build hard to compare; 65536 cases are nothing.
#pragma once
#include <chrono>

#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

inline constexpr unsigned most_inputs_tried = 16;

using Clock = std::chrono::steady_clock;

// Merges as many gates as there is time for.
Part sweep(const Part& part, Clock::time_point deadline);

}  // namespace kumiki::backends::proof
