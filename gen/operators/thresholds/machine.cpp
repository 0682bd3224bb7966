// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/thresholds/machine.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "gen/hdl/delay_line.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/requantise_lanes.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"

namespace kumiki::gen::pipeline {
namespace {

using requant::clocks_of_constants;

constexpr std::uint32_t most_lut_inputs = 6;

// The bits that select the threshold of step `step`.
std::uint32_t chosen_by(const ThresholdsPlan& p, int step) {
  return index_bits(p.together()) + static_cast<std::uint32_t>(step);
}
int clocks_of_step(const ThresholdsPlan& p, int step) {
  return clocks_of_constants(chosen_by(p, step)) + 1;
}

class Search {
 public:
  Search(Scope& s, const ThresholdsPlan& p, std::size_t number, const Island::Lane& lane)
      : s_(s),
        p_(p),
        number_(number),
        lane_(lane),
        in_(s, widened(lane.number), lane.enable),
        block_(s, lane.block, lane.enable) {}

  UInt result() {
    std::vector<DelayLine<Net>> known;  // from the highest on, each from the clock in which it is
                                        // known
    std::vector<int> since;
    int now = 0;
    const auto bits_now = [&] {
      std::vector<Net> nets;  // lowest first
      for (std::size_t i = known.size(); i-- > 0;) nets.push_back(known[i].after(now - since[i]));
      return nets;
    };
    for (int step = 0; step < p_.steps(); ++step) {
      const UInt begin = begins(step, bits_now(), now);
      now += clocks_of_step(p_, step);
      const Net bit = at_least(s_, as_signed(in_.after(now - 1)), as_signed(begin));
      known.emplace_back(s_, reg(s_, bit, {.enable = lane_.enable}), lane_.enable);
      since.push_back(now);
    }
    return numbered(bits_now(), now);
  }

 private:
  UInt widened(const UInt& number) {
    const auto width = static_cast<std::uint32_t>(p_.compared_bits());
    if (number.width() == width) return number;
    return p_.in.format.is_signed ? UInt(sext(s_, as_signed(number), width))
                                  : zext(s_, number, width);
  }

  std::vector<Net> block_at(int clock) {
    if (p_.together().blocks() == 1) return {};
    const UInt block = block_.after(clock);
    return {block.nets().begin(), block.nets().end()};
  }

  // The threshold in the middle of the remaining ones.
  UInt begins(int step, const std::vector<Net>& known, int now) {
    const auto width = static_cast<std::uint32_t>(p_.compared_bits());
    const std::int64_t half = std::int64_t{1} << (p_.steps() - 1 - step);
    std::vector<Net> index = known;
    for (const Net n : block_at(now)) index.push_back(n);
    std::vector<std::int64_t> begins;
    arith::Interval range;
    for (std::int64_t block = 0; block < p_.together().blocks(); ++block)
      for (std::int64_t i = 0; i < std::int64_t{1} << step; ++i) {
        begins.push_back(
            p_.begin(channel_of(p_.together(), number_, block), (2 * i + 1) * half - 1));
        range = arith::hull(range, arith::Interval::point(begins.back()));
      }
    if (index.empty()) return s_.constant(arith::raw_of(begins.front(), width), width);
    // A memory holds the bits that these thresholds have.
    const auto stored = static_cast<std::uint32_t>(arith::signed_bits(range));
    std::vector<std::uint64_t> values;
    for (const std::int64_t begin : begins) values.push_back(arith::raw_of(begin, stored));
    const UInt found = requant::constants(s_, stored, values, bits(s_, index), lane_.enable);
    return UInt(sext(s_, as_signed(found), width));
  }

  // Turns the count of thresholds passed into a number of the tensor. A falling channel counts
  // those that are not passed.
  UInt numbered(std::vector<Net> count, int now) {
    const auto steps = static_cast<std::uint32_t>(p_.steps()),
               width = static_cast<std::uint32_t>(p_.numbers.bits);
    std::vector<std::uint64_t> falling;
    for (std::int64_t block = 0; block < p_.together().blocks(); ++block)
      falling.push_back(p_.falls(channel_of(p_.together(), number_, block)) ? 1 : 0);
    const bool some = std::ranges::count(falling, 1) > 0, all = std::ranges::count(falling, 0) == 0;
    Net falls = all ? ir::net_one : ir::net_zero;
    if (some && !all) {
      const UInt index = bits(s_, block_at(now - clocks_of_constants(index_bits(p_.together()))));
      falls = requant::constants(s_, 1, falling, index, lane_.enable)[0];
    }
    const auto lowest = static_cast<std::uint64_t>(p_.thresholds.lowest);
    if (steps < most_lut_inputs) {
      count.push_back(falls);
      return reg(s_,
                 look_up(
                     s_, width,
                     [&](unsigned i) {
                       const unsigned ones = (1u << steps) - 1, passed = i & ones;
                       return lowest + (i >> steps != 0 ? ones - passed : passed);
                     },
                     count),
                 {.enable = lane_.enable});
    }
    const UInt passed = s_.word(bits(s_, count) ^ falls);
    const UInt wide = steps >= width ? passed.slice(0, width) : zext(s_, passed, width);
    return reg(s_, add(s_, wide, s_.constant(arith::raw_of(p_.thresholds.lowest, width), width)),
               {.enable = lane_.enable});
  }

  Scope& s_;
  const ThresholdsPlan& p_;
  std::size_t number_;  // of the lane
  const Island::Lane& lane_;
  DelayLine<UInt> in_, block_;
};

}  // namespace

ThresholdsPlan thresholds(const graph::Graph& g, const graph::Node& node, const Stream& in,
                          const std::vector<std::int64_t>& offsets) {
  const graph::Tensor& out = g.tensors[node.output];
  return {.in = in,
          .thresholds = std::get<graph::Thresholds>(node.op),
          .offsets = offsets,
          .numbers = out.format,
          .passes = passes_of(in, out)};
}

ThresholdsPlan thresholds_of_rules(const graph::Graph& g, const graph::Node& node,
                                   const Stream& sums, const std::vector<std::int64_t>& lacks) {
  const auto channels = channels_of(g, node);
  std::vector<arith::Steps> all;
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), highest = -lowest;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    all.push_back(channels[c].steps());
    lowest = std::min(lowest, all[c].first);
    highest = std::max(highest, all[c].first + std::ssize(all[c].begins));
  }
  ThresholdsPlan p{.in = sums, .thresholds = {}, .numbers = g.tensors[node.output].format};
  p.thresholds.lowest = static_cast<int>(lowest);
  // If all results are the same, there is one threshold that nothing reaches.
  p.thresholds.levels = static_cast<int>(std::max<std::int64_t>(1, highest - lowest));
  constexpr std::int32_t always = std::numeric_limits<std::int32_t>::min(),
                         never = std::numeric_limits<std::int32_t>::max();
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const std::int64_t lacking = channels[c].bias + (lacks.empty() ? 0 : lacks[c]);
    for (std::int64_t result = lowest + 1; result <= lowest + p.thresholds.levels; ++result) {
      const std::int64_t i = result - all[c].first - 1;
      p.thresholds.begins.push_back(
          i < 0 ? always
          : i >= std::ssize(all[c].begins)
              ? never
              : static_cast<std::int32_t>(all[c].begins[static_cast<std::size_t>(i)] - lacking));
    }
  }
  return p;
}

int ThresholdsPlan::steps() const { return arith::bits_for_count(thresholds.levels + 1); }

bool ThresholdsPlan::falls(std::int64_t channel) const {
  return thresholds.falls(static_cast<std::size_t>(channel));
}

std::int64_t ThresholdsPlan::begin(std::int64_t channel, std::int64_t level) const {
  const arith::Interval range = in.format.range();
  const std::int64_t levels = thresholds.levels, all = (std::int64_t{1} << steps()) - 1;
  const auto never = static_cast<std::int64_t>(range.hi + 1),
             always = static_cast<std::int64_t>(range.lo);
  const bool falling = falls(channel);
  const std::int64_t own = falling ? level - (all - levels) : level;
  if (own < 0) return always;
  if (own >= levels) return never;
  const bool is_shared = std::ssize(thresholds.begins) == levels;
  const std::int64_t begin =
      thresholds.begins[static_cast<std::size_t>((is_shared ? 0 : channel * levels) + own)] -
      (offsets.empty() ? 0 : offsets[static_cast<std::size_t>(channel)]);
  return std::clamp(begin, always, never);
}

int ThresholdsPlan::compared_bits() const {
  arith::Interval all = in.format.range();
  for (std::int64_t c = 0; c < together().channels; ++c)
    all = hull(all, arith::Interval::point(begin(c, (std::int64_t{1} << steps()) - 2)));
  return arith::signed_bits(all);
}

int ThresholdsPlan::latency() const {
  int clocks = 1;
  for (int step = 0; step < steps(); ++step) clocks += clocks_of_step(*this, step);
  return clocks;
}

std::string ThresholdsPlan::text() const {
  return fmt::format("{} channels in {} lanes, {} results of {}, latency {}", in.channels, in.lanes,
                     thresholds.levels + 1, to_string(in.format), latency());
}

std::string ThresholdsPlan::module_name() const {
  return fmt::format("thresholds{}of{}_{}to{}", in.lanes, in.channels, in.format.bits,
                     numbers.bits);
}

MachineOut<Hardware> build(Scope& s, const ThresholdsPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Island island(s, p.in, p.schedule(), in, p.passes.count);
  std::vector<UInt> results;
  for (std::size_t i = 0; i < island.lanes().size(); ++i)
    results.push_back(Search(s, p, i, island.lanes()[i]).result());
  return island.leave(results);
}

Lanes beat(const ThresholdsPlan& p, std::int64_t k, const Taken& in) {
  const graph::Thresholds& t = p.thresholds;
  const auto numbers = in.at(0, k);
  Lanes all;
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    const std::int64_t c = channel_of(p.together(), lane, p.passes.block(p.in, k));
    const std::int64_t x = arith::value_of(numbers[lane], p.in.format) +
                           (p.offsets.empty() ? 0 : p.offsets[static_cast<std::size_t>(c)]);
    const auto first =
        t.begins.begin() + (std::ssize(t.begins) == t.levels ? 0 : c * std::int64_t{t.levels});
    const auto passed = std::count_if(first, first + t.levels, [&](auto b) { return b <= x; });
    all.push_back(arith::raw_of(t.lowest + (p.falls(c) ? t.levels - passed : passed), p.numbers));
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
