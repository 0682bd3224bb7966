// SPDX-License-Identifier: Apache-2.0
// The exit of lanes that all move or all stand still together. Two beats of room announce one clock
// ahead whether they move, so every enable is a register. This costs half a LUT for each bit of the
// results, which are narrower than the inputs; a memory behind lanes that never stop would cost
// more.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
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

// The stages and the exit behind them.
class MovingModel {
 public:
  using Beat = std::vector<std::uint64_t>;
  explicit MovingModel(int stages) : stages_(static_cast<std::size_t>(stages)) { reset(); }
  void reset();
  bool moves() const { return leaving_.size() < 2; }
  const Beat* shown() const { return leaving_.empty() ? nullptr : &leaving_.front(); }
  // `enters` must be empty while the stages do not move.
  void clock(std::optional<Beat> enters, bool out_ready);

 private:
  std::size_t stages_;
  std::deque<std::optional<Beat>> under_way_;  // the last stage is at the front
  std::deque<Beat> leaving_;
};

}  // namespace kumiki::gen::pipeline
