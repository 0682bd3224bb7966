// SPDX-License-Identifier: Apache-2.0
#include "gen/config/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include <fmt/format.h>

namespace kumiki::gen::config {
namespace {

std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word) {
    const bool blank = c == '-' || c == ' ';
    out += blank ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// Optimal string alignment: Levenshtein's distance, in which a swap of neighbours counts as one
// error.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> older(b.size() + 1);
  std::vector<std::size_t> old(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older = old;
    old = now;
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      now[j] = std::min({old[j] + 1, now[j - 1] + 1, old[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], older[j - 2] + 1);
    }
  }
  return now[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view wrong,
                                   const std::vector<std::string>& candidates) {
  if (wrong.size() > 64) return {};
  const std::string typed = folded(wrong);
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::string legal = folded(candidate);
    const std::size_t errors = distance(typed, legal);
    if (errors < least && errors < legal.size()) {
      least = errors;
      best = candidate;
    }
  }
  if (best || typed.size() < 3) return best;
  // An abbreviation ("desc") or a longer form ("seed_value").
  for (const std::string& candidate : candidates) {
    const std::string legal = folded(candidate);
    if (legal.starts_with(typed) || (legal.size() >= 3 && typed.starts_with(legal))) {
      return candidate;
    }
  }
  return {};
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& candidates,
                         const std::string& otherwise) {
  if (const auto meant = nearest(wrong, candidates))
    return fmt::format(" (did you mean \"{}\"?)", *meant);
  return otherwise.empty() ? "" : "; " + otherwise;
}

}  // namespace kumiki::gen::config
