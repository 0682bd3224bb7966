// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/kernel_rom.h"

#include <algorithm>
#include <utility>

#include "gen/arith/format.h"
#include "gen/hdl/lut_rom.h"
#include "ir/arch.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::size_t most_words_in_luts = 64;

std::size_t lanes_of_a_memory(std::uint32_t width) {
  return std::max<std::size_t>(1, ir::arch::block_ram_18k.front().width / width);
}

}  // namespace

KernelRom::KernelRom(std::vector<std::vector<std::int64_t>> words, const arith::Interval& range)
    : words_(std::move(words)), width_(static_cast<std::uint32_t>(arith::signed_bits(range))) {}

bool KernelRom::is_memory(std::size_t words) { return words > most_words_in_luts; }

std::int64_t KernelRom::brams_18k(std::size_t words, std::size_t lanes,
                                  const arith::Interval& range) {
  if (!is_memory(words)) return 0;
  const auto width = static_cast<std::uint32_t>(arith::signed_bits(range));
  std::int64_t all = 0;
  for (std::size_t some = 0; lanes > 0; lanes -= some) {
    some = std::min(lanes, lanes_of_a_memory(width));
    all += ir::memory::brams_18k(words, some * width);
  }
  return all;
}

SInt KernelRom::in_luts(Scope& s, const std::vector<std::int64_t>& words, const UInt& index) const {
  std::vector<std::uint64_t> raw;
  for (const std::int64_t word : words) raw.push_back(arith::raw_of(word, width_));
  return SInt(Word(lut_rom(s, raw, width_, index)));
}

std::vector<SInt> KernelRom::in_memory(Scope& s, std::size_t first, std::size_t lanes,
                                       const UInt& index) const {
  std::vector<std::uint64_t> contents(words_[first].size(), 0);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (std::size_t i = 0; i < contents.size(); ++i)
      contents[i] |= arith::raw_of(words_[first + lane][i], width_) << (lane * width_);
  const UInt all = Memory{.depth = static_cast<std::uint32_t>(contents.size()),
                          .width = static_cast<std::uint32_t>(lanes) * width_,
                          .read = ir::memory::twice_registered,
                          .contents = contents,
                          .read_address = index}
                       .add_to(s);
  std::vector<SInt> words;
  for (std::uint32_t low = 0; low < all.width(); low += width_)
    words.push_back(SInt(Word(all.slice(low, width_))));
  return words;
}

std::vector<SInt> KernelRom::build(Scope& s, std::size_t first, std::size_t lanes,
                                   const UInt& index) const {
  std::vector<SInt> all;
  const std::size_t at_once = lanes_of_a_memory(width_);
  for (std::size_t lane = first; lane < first + lanes;) {
    if (is_memory()) {
      const std::size_t some = std::min(at_once, first + lanes - lane);
      for (const SInt& word : in_memory(s, lane, some, index)) all.push_back(word);
      lane += some;
    } else {
      const auto& words = words_[lane++];
      all.push_back(words.size() == 1 ? s.signed_constant(words[0], width_)
                                      : in_luts(s, words, index));
    }
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
