// SPDX-License-Identifier: Apache-2.0
// An operation for the first channels of a pixel; the other channels are delayed to match.
#pragma once
#include <memory>

#include "gen/layers/vision/pixel/operation.h"
#include "gen/layers/vision/pixel/requests.h"

namespace kumiki::gen::vision {

std::unique_ptr<PixelOperation> on_first(const PixelRequest& request,
                                         const std::vector<packing::OperandFormat>& channels,
                                         std::size_t count);

}  // namespace kumiki::gen::vision
