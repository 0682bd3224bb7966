// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/reduce/search.h"

#include <algorithm>

namespace kumiki::reduction {

bool Search::keeps(const std::string& candidate) {
  if (spent_ || refused_.contains(candidate)) return false;
  if (tries_ >= budget_.tries || (budget_.is_enough && budget_.is_enough())) {
    spent_ = true;
    return false;
  }
  ++tries_;
  if (interesting_(candidate)) return true;
  refused_.insert(candidate);
  return false;
}

bool choose(std::size_t count, const Search& search,
            const std::function<bool(const std::vector<std::size_t>&)>& holds) {
  std::vector<std::size_t> chosen, left(count);
  for (std::size_t i = 0; i < count; ++i) left[i] = i;
  for (std::size_t size = count; size > 0 && !left.empty();) {
    bool progress = false;
    std::vector<std::size_t> stay;
    for (std::size_t at = 0; at < left.size(); at += size) {
      const auto begin = left.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = left.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, left.size()));
      std::vector<std::size_t> more = chosen;
      more.insert(more.end(), begin, end);
      std::ranges::sort(more);
      if (!search.spent() && holds(more)) {
        chosen = std::move(more);
        progress = true;
      } else {
        stay.insert(stay.end(), begin, end);
      }
    }
    left = std::move(stay);
    if (size > 1)
      size = std::min((size + 1) / 2, left.size());
    else if (!progress)
      break;
  }
  return !chosen.empty();
}

}  // namespace kumiki::reduction
