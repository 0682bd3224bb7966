// SPDX-License-Identifier: Apache-2.0
#include "gen/layer/beats/numbers.h"

namespace kumiki::gen {

std::vector<Numbers> side_by_side(const std::string& port,
                                  const std::vector<arith::Format>& elements) {
  std::vector<Numbers> runs;
  std::uint32_t low = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const arith::Format& e = elements[i];
    const auto width = static_cast<std::uint32_t>(e.bits);
    if (i == 0 || elements[i - 1] != e)
      runs.push_back({port, width, e.is_signed, std::to_string(i), low, 0});
    runs.back().bits += width;
    low += width;
  }
  if (runs.size() == 1) runs[0].part.clear();
  return runs;
}

}  // namespace kumiki::gen
