// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/constants.h"

#include "gen/hdl/lut_rom.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::requant {
namespace {

constexpr std::uint32_t lut_index = index_bits_of_a_lut;
constexpr std::uint32_t near_index = 9;        // bits of the number used in the first clock
constexpr std::uint32_t luts_of_a_block = 40;  // half a block memory replaces this many

bool are_in_memory(std::uint32_t width, std::uint32_t index_bits) {
  if (index_bits <= lut_index) return false;
  const std::uint64_t depth = std::uint64_t{1} << index_bits;
  return width * (depth >> lut_index) >= luts_of_a_block * ir::memory::brams_18k(depth, width);
}

}  // namespace

UInt constants(Scope& s, std::uint32_t width, const std::vector<std::uint64_t>& values,
               const UInt& index, Net enable, bool only_luts) {
  const auto at = [&](std::size_t i) { return values[i < values.size() ? i : 0]; };
  const auto held = [&](const UInt& word) { return reg(s, word, {.enable = enable}); };
  if (!only_luts && are_in_memory(width, index.width())) {
    Memory rom{
        .depth = 1u << index.width(), .width = width, .read_enable = enable, .read_address = index};
    for (std::size_t i = 0; i < rom.depth; ++i) rom.contents.push_back(at(i));
    return held(rom.add_to(s));
  }
  if (index.width() <= lut_index) {
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < std::size_t{1} << index.width(); ++i) all.push_back(at(i));
    return lut_rom(s, all, width, index, enable);
  }
  const UInt fine = index.slice(0, lut_index);
  std::vector<UInt> parts;
  for (std::size_t base = 0; base < std::size_t{1} << index.width();
       base += std::size_t{1} << lut_index)
    parts.push_back(look_up(
        s, width, [&](unsigned i) { return at(base + i); }, fine.nets()));
  const std::uint32_t near = std::min(index.width(), near_index);
  const UInt middle = index.slice(lut_index, near - lut_index);
  std::vector<UInt> blocks;
  for (std::size_t i = 0; i < parts.size(); i += std::size_t{1} << middle.width())
    blocks.push_back(held(select(
        s, middle, std::span<const UInt>(parts).subspan(i, std::size_t{1} << middle.width()))));
  if (blocks.size() == 1) return held(blocks[0]);
  return held(
      select(s, held(index.slice(near, index.width() - near)), std::span<const UInt>(blocks)));
}

}  // namespace kumiki::gen::requant
