// SPDX-License-Identifier: Apache-2.0
// From a request to a pixel operation.
#pragma once
#include <memory>

#include "gen/layers/vision/pixel/operation.h"
#include "gen/layers/vision/pixel/requests.h"

namespace kumiki::gen::vision {

// The operation of a request for channels of these formats. Throws DesignError if the request does
// not fit the formats.
std::unique_ptr<PixelOperation> make_operation(const PixelRequest& request,
                                               const std::vector<packing::OperandFormat>& inputs);

}  // namespace kumiki::gen::vision
