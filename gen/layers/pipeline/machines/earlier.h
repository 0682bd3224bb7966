// SPDX-License-Identifier: Apache-2.0
// A word from so many beats earlier: registers, a ring in LUTs or a ring in block memory. Beats
// come when `valid` is 1; nothing moves otherwise.
#pragma once
#include <cstdint>
#include <optional>

#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

class Earlier {
 public:
  // Clocks from a beat to the clock in which the earlier word is available.
  static int clocks(std::int64_t beats);
  static bool is_block_memory(std::int64_t beats) { return clocks(beats) == 2; }

  // `is_found`: the word to keep depends on the earlier word. Registers get it in the clock of the
  // earlier word, a memory in the clock after.
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
