// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/exits.h"

#include <string>

namespace kumiki::gen::pipeline {

Exits::Exits(Scope& s, std::int64_t lanes, Net valid, Net out_ready, Net reset) {
  for (std::size_t g = 0; g <= group_of(lanes - 1); ++g)
    groups_.emplace_back(s, reset, valid, out_ready,
                         g == 0 ? "" : "group" + std::to_string(g) + "_");
}

std::vector<UInt> Exits::pass(const std::vector<UInt>& lanes) {
  std::vector<UInt> all;
  for (const UInt& lane : lanes) all.push_back(groups_[group_of(std::ssize(all))].pass(lane));
  return all;
}

}  // namespace kumiki::gen::pipeline
