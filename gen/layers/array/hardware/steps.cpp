// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/steps.h"

#include <algorithm>

namespace kumiki::gen::array {
namespace {

// A part of a sum and its carry into the next part.
struct PartSum {
  UInt sum;
  Net carry;
};
PartSum part_sum(Scope& s, const UInt& a, const UInt& b, Net carry, bool subtract) {
  // One extra position, whose sum bit is the carry.
  const std::uint32_t width = a.width();
  const UInt nothing = s.constant(0, 1);
  const UInt propagate =
      subtract ? lut_o6(
                     s, [](bool x, bool y) { return x == y; }, SourceLocation::current(), a, b)
               : lut_o6(
                     s, [](bool x, bool y) { return x != y; }, SourceLocation::current(), a, b);
  const UInt all = carry_chain(s, cat(s, {nothing, propagate}), cat(s, {nothing, a}), carry).sum;
  return {all.slice(0, width), all[width]};
}

}  // namespace

UInt almost_added(Scope& s, const UInt& a, const UInt& b, bool subtract) {
  const std::uint32_t width = a.width();
  const int steps = steps_of(width);
  std::vector<Word> high_to_low;
  Net carry = ir::constant(subtract);
  for (int i = 0; i < steps; ++i) {
    const std::uint32_t low = static_cast<std::uint32_t>(i) * step_bits;
    const std::uint32_t size = std::min(step_bits, width - low);
    const PartSum part = part_sum(s, later(s, a.slice(low, size), i),
                                  later(s, b.slice(low, size), i), carry, subtract);
    if (i + 1 < steps) carry = reg(s, part.carry);
    high_to_low.insert(high_to_low.begin(), later(s, part.sum, steps - 1 - i));
  }
  return cat(s, high_to_low);
}

UInt add_in_steps(Scope& s, const UInt& a, const UInt& b) { return reg(s, almost_added(s, a, b)); }

int clocks_to_choose(std::size_t items) {
  int clocks = 0;
  for (; items > 1; items = (items + 15) / 16) ++clocks;
  return clocks;
}

UInt chosen(Scope& s, std::vector<UInt> items, std::span<const UInt> index, int clocks) {
  for (int k = 0; k < clocks; ++k) {
    std::vector<UInt> fewer;
    for (std::size_t i = 0; i < items.size(); i += 16) {
      const std::span<const UInt> group(items.data() + i,
                                        std::min<std::size_t>(16, items.size() - i));
      if (group.size() == 1) {
        fewer.push_back(reg(s, group[0]));
        continue;
      }
      const auto digits = address_width(group.size());
      fewer.push_back(reg(s, select(s,
                                    index[static_cast<std::size_t>(k)].slice(
                                        static_cast<std::uint32_t>(4 * k), digits),
                                    group)));
    }
    items = std::move(fewer);
  }
  return items[0];
}

UInt settled(Scope& s, Carried number) {
  const auto parts = static_cast<std::size_t>(steps_of(number.word.width()));
  for (std::size_t clock = 1; clock < parts; ++clock) {
    std::vector<Word> high_to_low{
        later(s, number.word.slice(0, step_bits * static_cast<std::uint32_t>(clock)), 1)};
    std::vector<Net> carries(parts - 1, ir::net_zero);
    for (std::size_t i = clock; i < parts; ++i) {
      const std::uint32_t low = static_cast<std::uint32_t>(i) * step_bits;
      const std::uint32_t size = std::min(step_bits, number.word.width() - low);
      const UInt part = number.word.slice(low, size);
      // The last part has no carry out.
      UInt propagate = lut_buffer(s, part, false, SourceLocation::current());
      if (i + 1 < parts) propagate = cat(s, {s.constant(0, 1), propagate});
      const UInt sum =
          carry_chain(s, propagate, s.constant(0, propagate.width()), number.carries[i - 1]).sum;
      high_to_low.insert(high_to_low.begin(), reg(s, sum.slice(0, size)));
      if (i + 1 < parts) carries[i] = reg(s, sum[size]);
    }
    number = {cat(s, high_to_low), std::move(carries)};
  }
  return number.word;
}

}  // namespace kumiki::gen::array
