// SPDX-License-Identifier: Apache-2.0
// What a word comes back as so many beats later: registers, a ring in LUTs or one in block memory.
// Beats come whenever `valid` is 1; nothing else moves.
#pragma once
#include <cstdint>
#include <optional>

#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/walk.h"

namespace kumiki::gen::pipeline {

class Earlier {
 public:
  // Clocks from a beat to the clock in which the earlier word is there.
  static int clocks(std::int64_t beats);

  // `is_found`: what is kept depends on the earlier word. In registers it is given in the clock of
  // that word, from a memory in the clock behind.
  Earlier(Scope& s, std::int64_t beats, std::uint32_t width, bool is_found, Net valid, Net reset);
  const UInt& word() const { return word_; }
  bool is_memory() const { return memory_.has_value(); }
  void keep(const UInt& word);

 private:
  std::optional<Reg<UInt>> last_;
  std::optional<Wire<UInt>> memory_;
  UInt word_;
};

}  // namespace kumiki::gen::pipeline
