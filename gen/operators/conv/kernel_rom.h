// SPDX-License-Identifier: Apache-2.0
// Constants of lanes by an index: nets, LUTs or block memories, chosen by their number.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "gen/arith/interval.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

class KernelRom {
 public:
  // [lane][index]
  KernelRom(std::vector<std::vector<std::int64_t>> words, const arith::Interval& range);
  // Answers two clocks after its index; otherwise one.
  bool is_memory() const { return is_memory(words_[0].size()); }
  static bool is_memory(std::size_t words);
  // The block memories of so many lanes that are built together.
  static std::int64_t brams_18k(std::size_t words, std::size_t lanes, const arith::Interval& range);
  // The words of this many lanes, from registers.
  std::vector<SInt> build(Scope& s, std::size_t first, std::size_t lanes, const UInt& index) const;

 private:
  std::vector<SInt> in_memory(Scope& s, std::size_t first, std::size_t lanes,
                              const UInt& index) const;
  SInt in_luts(Scope& s, const std::vector<std::int64_t>& words, const UInt& index) const;
  std::vector<std::vector<std::int64_t>> words_;
  std::uint32_t width_;
};

}  // namespace kumiki::gen::pipeline
