// SPDX-License-Identifier: Apache-2.0
// One run of CBC, in the process that calls it.
#pragma once
#include <vector>

#include "gen/blocks/compressor/solver/mip.h"

namespace kumiki::gen::compressor {

// How the simplex method chooses its rows. CBC's own choice has assertions that fail for some
// programs.
enum class Pivots { steepest, dantzig };

MipResult run_cbc(const Mip& mip, const MipLimits& limits, const std::vector<double>& start,
                  Pivots pivots);

}  // namespace kumiki::gen::compressor
