// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gen/config/document.h"
#include "gen/layer.h"
#include "gen/vision/plan.h"

namespace kumiki::gen::vision {

std::unique_ptr<Layer> make_layer(const Pipeline& pipeline);

}  // namespace kumiki::gen::vision
