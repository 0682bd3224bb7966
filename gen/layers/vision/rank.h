// SPDX-License-Identifier: Apache-2.0
// Sorted windows: erosion, dilation, the median, any other rank. Columns are sorted once, and
// windows side by side share their common part.
#pragma once
#include <memory>

#include "gen/blocks/sort/networks.h"
#include "gen/blocks/sort/sort.h"
#include "gen/layers/vision/operation.h"

namespace kumiki::gen::vision {

struct RankRequest {
  std::string name;  // "median"
  int size = 3;
  int rank = 4;  // of size * size values, 0 is the smallest
  Format input;
  int pixels = 1, channels = 1;
  sort::Form form = sort::Form::slices;
};

std::unique_ptr<WindowOperation> make_rank(const RankRequest& request);

}  // namespace kumiki::gen::vision
