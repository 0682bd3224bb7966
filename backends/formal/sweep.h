// SPDX-License-Identifier: Apache-2.0
// Merges gates that compute the same function; gates of up to 16 inputs by trying all cases. SAT
// needs long to compare two differently built multipliers; 65536 cases take almost no time.
#pragma once
#include <chrono>

#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

inline constexpr unsigned most_inputs_tried = 16;

using Clock = std::chrono::steady_clock;

// Merges as many gates as the time allows.
Part sweep(const Part& part, Clock::time_point deadline);

}  // namespace kumiki::backends::proof
