// SPDX-License-Identifier: Apache-2.0
#include "gen/layer/beats/numbers.h"

namespace kumiki::gen {

std::vector<Numbers> side_by_side(const std::string& port,
                                  const std::vector<NumberFormat>& elements) {
  std::vector<Numbers> runs;
  std::uint32_t low = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const NumberFormat& e = elements[i];
    if (i == 0 || elements[i - 1] != e)
      runs.push_back({port, e.width, e.is_signed, std::to_string(i), low, 0});
    runs.back().bits += e.width;
    low += e.width;
  }
  if (runs.size() == 1) runs[0].part.clear();
  return runs;
}

}  // namespace kumiki::gen
