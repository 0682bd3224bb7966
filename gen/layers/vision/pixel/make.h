// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gen/layers/vision/pixel/operation.h"
#include "gen/layers/vision/pixel/requests.h"

namespace kumiki::gen::vision {

// An operation for channels of these formats; those of its results follow. DesignError when the
// two do not go together.
std::unique_ptr<PixelOperation> make_operation(const PixelRequest& request,
                                               const std::vector<packing::OperandFormat>& inputs);

}  // namespace kumiki::gen::vision
