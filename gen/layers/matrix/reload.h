// SPDX-License-Identifier: Apache-2.0
// Weights that come for every frame. A memory holds those of two frames: one set is read while the
// other comes.
#pragma once
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/core.h"
#include "gen/layers/matrix/ports.h"

namespace kumiki::gen::matrix {

struct Reload {
  WeightWrite write;
  Net loaded;  // the weights of the next frame are there
  Net ready;   // takes a beat of weights
};

// `done`: the last word of a frame is issued in this clock.
Reload build_reload(Scope& s, const MatrixPlan& plan, const MatrixIn<Hardware>& in, Net done);

}  // namespace kumiki::gen::matrix
