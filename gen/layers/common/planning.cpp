// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/common/planning.h"

#include <fmt/format.h>

namespace kumiki::gen {

packing::Limits limits_of(const config::Target& target) {
  packing::Limits limits = packing::Limits::of(target.family);
  if (target.column_height) limits.column_height = *target.column_height;
  return limits;
}

std::string legal_instead(const packing::Refusal& refusal) {
  const auto& otherwise = refusal.broken.otherwise;
  return otherwise.empty() ? "use another scheme" : "use " + otherwise;
}

config::Violation scheme_refused(const packing::Refusal& refusal) {
  return {refusal.code, "scheme", fmt::format("is refused: {}", refusal.reason()),
          legal_instead(refusal)};
}

config::Violation every_scheme_refused(const std::string& key, const packing::Refusal& refusal) {
  return {refusal.code, key,
          fmt::format("is not possible in any scheme; {} refuses it: {}",
                      packing::to_string(refusal.scheme), refusal.reason()),
          legal_instead(refusal)};
}

}  // namespace kumiki::gen
