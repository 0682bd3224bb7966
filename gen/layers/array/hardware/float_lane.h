// SPDX-License-Identifier: Apache-2.0
// The lanes of an array that requantises as float32 does.
#pragma once
#include "gen/blocks/requant/float_lane.h"

namespace kumiki::gen::array {

using requant::build_float_lane;
using requant::FloatLaneIn;
using requant::FloatLaneOut;
using requant::FloatLanePlan;

}  // namespace kumiki::gen::array
