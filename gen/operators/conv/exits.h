// SPDX-License-Identifier: Apache-2.0
// The exit of lanes that all move or all stand still together. Two beats of room announce one clock
// ahead whether they move, so every enable is a register. This costs half a LUT for each bit of the
// results, which are narrower than the inputs; a memory behind lanes that never stop would cost
// more.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/hdl/skid.h"
#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

class Exits {
 public:
  // Lanes come in groups; each group has its own registers for its enables.
  static constexpr std::int64_t lanes_of_group = 8;
  static std::size_t group_of(std::int64_t lane) {
    return static_cast<std::size_t>(lane / lanes_of_group);
  }

  // `valid`: results of the last stage arrive.
  Exits(Scope& s, std::int64_t lanes, Net valid, Net out_ready, Net reset);
  Net valid() const { return groups_[0].valid(); }
  Net moves(std::int64_t lane) const { return groups_[group_of(lane)].ready(); }
  std::size_t groups() const { return groups_.size(); }
  std::vector<UInt> pass(const std::vector<UInt>& lanes);

 private:
  std::vector<Skid> groups_;  // all in the same state
};

}  // namespace kumiki::gen::pipeline
