// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/throughput.h"

#include <cmath>

namespace kumiki::cli {

std::optional<double> macs_per_cycle(const gen::Json& plan) {
  auto number = [&](const char* key) -> std::optional<double> {
    if (!plan.contains(key) || !plan[key].is_number()) return {};
    return plan[key].get<double>();
  };
  if (const auto direct = number("macs_per_cycle")) return direct;
  if (const auto ratio = number("mac_per_slice_peak"))
    if (const auto slices = number("slices")) return std::round(*ratio * *slices * 1e6) / 1e6;
  const auto macs = number("macs"), cycles = number("cycles");
  if (macs && cycles && *cycles > 0) return *macs / *cycles;
  return {};
}

}  // namespace kumiki::cli
