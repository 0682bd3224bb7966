// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/border.h"

#include <algorithm>

namespace kumiki::gen::vision {

std::optional<int> border_source(Border border, int offset, int before, int after) {
  if (offset >= -before && offset <= after) return offset;
  switch (border) {
    case Border::constant:
      return std::nullopt;
    case Border::replicate:
      return std::clamp(offset, -before, after);
    case Border::reflect:
      break;
  }
  if (before + after == 0) return 0;
  while (offset < -before || offset > after)
    offset = offset < -before ? -2 * before - offset : 2 * after - offset;
  return offset;
}

std::vector<std::optional<int>> border_sources(Border border, int offset, int radius) {
  std::vector<std::optional<int>> all{offset};
  const auto note = [&](std::optional<int> source) {
    if (std::find(all.begin(), all.end(), source) == all.end()) all.push_back(source);
  };
  // More than `radius` pixels on a side make no difference.
  for (int before = 0; before <= radius; ++before)
    for (int after = 0; after <= radius; ++after)
      if (const auto source = border_source(border, offset, before, after)) note(source);
  std::sort(all.begin() + 1, all.end());
  if (border == Border::constant && offset != 0) all.push_back(std::nullopt);
  return all;
}

}  // namespace kumiki::gen::vision
