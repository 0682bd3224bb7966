// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/constants.h"

namespace kumiki::gen::requant {
namespace {

constexpr std::uint32_t lut_index = 6;

}  // namespace

UInt constants(Scope& s, std::uint32_t width, const std::vector<std::uint64_t>& values,
               const UInt& index, Net enable) {
  const auto at = [&](std::size_t i) { return values[i < values.size() ? i : 0]; };
  const std::uint32_t low = std::min(index.width(), lut_index);
  const UInt fine = index.slice(0, low);
  std::vector<UInt> parts;
  for (std::size_t base = 0; base < std::size_t{1} << index.width(); base += std::size_t{1} << low)
    parts.push_back(look_up(
        s, width, [&](unsigned i) { return at(base + i); }, fine.nets()));
  const auto held = [&](const UInt& word) { return reg(s, word, {.enable = enable}); };
  if (parts.size() == 1) return held(parts[0]);
  const std::uint32_t near = std::min(index.width(), first_bits_of_index);
  const UInt middle = index.slice(low, near - low);
  std::vector<UInt> blocks;
  for (std::size_t i = 0; i < parts.size(); i += std::size_t{1} << middle.width())
    blocks.push_back(held(select(
        s, middle, std::span<const UInt>(parts).subspan(i, std::size_t{1} << middle.width()))));
  if (blocks.size() == 1) return blocks[0];
  return held(
      select(s, held(index.slice(near, index.width() - near)), std::span<const UInt>(blocks)));
}

}  // namespace kumiki::gen::requant
