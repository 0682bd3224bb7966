// SPDX-License-Identifier: Apache-2.0
// A pipeline as a module: the guard, the groups one after the other, the loader of coefficients.
#pragma once
#include "gen/layers/vision/plan.h"
#include "gen/layers/vision/ports.h"

namespace kumiki::gen::vision {

VideoOut<Hardware> build_pipeline(Scope& s, const Pipeline& pipeline, const VideoIn<Hardware>& in);

}  // namespace kumiki::gen::vision
