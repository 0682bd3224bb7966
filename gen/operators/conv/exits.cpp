// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/exits.h"

#include <string>
#include <utility>

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

void MovingModel::reset() {
  under_way_.assign(stages_, {});
  leaving_.clear();
}

void MovingModel::clock(std::optional<Beat> enters, bool out_ready) {
  const bool moves = this->moves();
  if (out_ready && !leaving_.empty()) leaving_.pop_front();
  if (!moves) return;
  under_way_.push_back(std::move(enters));
  if (under_way_.front()) leaving_.push_back(std::move(*under_way_.front()));
  under_way_.pop_front();
}

}  // namespace kumiki::gen::pipeline
