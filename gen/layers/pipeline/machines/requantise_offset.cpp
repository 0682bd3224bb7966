// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/requantise_offset.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/blocks/requant/constants.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/requantise_lanes.h"

namespace kumiki::gen::pipeline {
namespace {

// Bits of a sum added in a clock: with the carry out they take 16 positions of a chain.
constexpr std::uint32_t bits_a_clock = 15;
int clocks_of_sum(int bits) { return (bits + int{bits_a_clock} - 1) / int{bits_a_clock}; }

// a + b, the lowest bits first; includes the last register.
UInt added(Scope& s, UInt a, UInt b, Net enable) {
  const auto held = [&](const auto& x) { return reg(s, x, {.enable = enable}); };
  std::vector<Word> parts;  // the highest first
  Net carry = ir::net_zero;
  for (std::uint32_t left = a.width(); left > bits_a_clock; left -= bits_a_clock) {
    for (Word& part : parts) part = held(UInt(part));
    const UInt sum = held(add_wide(s, a.slice(0, bits_a_clock), b.slice(0, bits_a_clock), carry));
    carry = sum.msb();
    parts.insert(parts.begin(), sum.slice(0, bits_a_clock));
    a = held(a.slice(bits_a_clock, left - bits_a_clock));
    b = held(b.slice(bits_a_clock, left - bits_a_clock));
  }
  for (Word& part : parts) part = held(UInt(part));
  parts.insert(parts.begin(), held(add(s, a, b, carry)));
  return cat(s, std::span<const Word>(parts));
}

}  // namespace

int OffsetPlan::sum_bits() const {
  const auto [least, most] = std::ranges::minmax(offsets);
  const arith::Interval all =
      hull(sums.format.range() + arith::Exact{least}, sums.format.range() + arith::Exact{most});
  return std::min(arith::signed_bits(all), numbers.bits);
}

int OffsetPlan::latency() const {
  return requant::clocks_of_constants(index_bits(together())) + clocks_of_sum(sum_bits());
}

std::string OffsetPlan::text() const {
  return fmt::format("{} channels in {} lanes, sums of {} bits to {}", sums.channels, sums.lanes,
                     sums.format.bits, to_string(numbers));
}

std::string OffsetPlan::module_name() const {
  return fmt::format("offset{}of{}_{}to{}", sums.lanes, sums.channels, sums.format.bits,
                     numbers.bits);
}

MachineOut<Hardware> build(Scope& s, const OffsetPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Island island(s, p.sums, p.schedule(), in, p.passes.count);
  const auto width = static_cast<std::uint32_t>(p.sum_bits()),
             bits = static_cast<std::uint32_t>(p.numbers.bits);
  const auto widened = [&](const UInt& word, std::uint32_t to, bool has_sign) {
    return word.width() >= to ? word.slice(0, to)
           : has_sign         ? UInt(sext(s, as_signed(word), to))
                              : zext(s, word, to);
  };
  std::vector<UInt> results;
  for (std::size_t i = 0; i < island.lanes().size(); ++i) {
    const Island::Lane& lane = island.lanes()[i];
    std::vector<std::uint64_t> raw;
    for (const std::int64_t offset : of_lane(p.sums, i, p.offsets))
      raw.push_back(arith::raw_of(offset, width));
    const UInt offset = of_block(s, p.together(), width, raw, lane);
    const UInt number =
        delay(s, lane.number,
              static_cast<std::uint32_t>(requant::clocks_of_constants(index_bits(p.together()))),
              lane.enable);
    const UInt sum = added(s, widened(number, width, p.sums.format.is_signed), offset, lane.enable);
    results.push_back(widened(sum, bits, true));
  }
  return island.leave(results);
}

Lanes beat(const OffsetPlan& p, std::int64_t k, const Taken& in) {
  const auto sums = in.at(0, k);
  Lanes all;
  for (std::size_t i = 0; i < sums.size(); ++i)
    all.push_back(arith::raw_of(
        arith::value_of(sums[i], p.sums.format) + p.offsets[static_cast<std::size_t>(channel_of(
                                                      p.together(), i, p.passes.block(p.sums, k)))],
        p.numbers));
  return all;
}

}  // namespace kumiki::gen::pipeline
