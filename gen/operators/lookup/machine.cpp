// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/lookup/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/requantise_lanes.h"
#include "gen/layers/pipeline/machines/table.h"

namespace kumiki::gen::pipeline {

namespace {

std::int64_t size_of(const LookupPlan& p) { return std::int64_t{1} << p.stream.format.bits; }

// The place of a block's table in the values.
std::int64_t table_at(const LookupPlan& p, std::int64_t lane, std::int64_t block) {
  return p.by_channel() ? size_of(p) * channel_of(p.stream, static_cast<std::size_t>(lane), block)
                        : 0;
}

MachineOut<Hardware> build_by_block(Scope& s, const LookupPlan& p, const MachineIn<Hardware>& in) {
  Island island(s, p.stream, p.schedule(), in);
  std::vector<UInt> results;
  for (const Island::Lane& lane : island.lanes()) {
    const auto contents = p.contents(std::ssize(results));
    const UInt word = Memory{.depth = static_cast<std::uint32_t>(contents.size()),
                             .width = static_cast<std::uint32_t>(p.format.bits),
                             .contents = contents,
                             .read_enable = lane.enable,
                             .read_address = cat(s, {lane.block, lane.number})}
                          .add_to(s);
    results.push_back(reg(s, word, {.enable = lane.enable}));
  }
  return island.leave(results);
}

}  // namespace

bool LookupPlan::in_memory() const { return by_block() || stream.format.bits > most_bits_in_luts; }

std::vector<std::uint64_t> LookupPlan::contents(std::int64_t lane) const {
  std::vector<std::uint64_t> words;
  const auto lowest = static_cast<std::int64_t>(stream.format.range().lo);
  for (std::int64_t block = 0; block < (by_block() ? stream.blocks() : 1); ++block) {
    const std::size_t first = words.size();
    words.resize(first + static_cast<std::size_t>(size_of(*this)));
    for (std::int64_t i = 0; i < size_of(*this); ++i)
      words[first + arith::raw_of(lowest + i, stream.format)] =
          arith::raw_of(values[static_cast<std::size_t>(table_at(*this, lane, block) + i)], format);
  }
  return words;
}

std::string LookupPlan::text() const {
  return fmt::format("a function of {} bits{} in {}, {} lanes", stream.format.bits,
                     by_channel() ? " for each channel" : "",
                     in_memory() ? "block memories" : "LUTs", stream.lanes);
}

std::string LookupPlan::module_name() const {
  return fmt::format("lookup{}x{}to{}{}", stream.lanes, stream.format.bits, format.bits,
                     by_channel() ? fmt::format("_c{}", stream.channels) : "");
}

bool legal(const LookupPlan& p) {
  const arith::Interval range = p.format.range();
  return p.stream.lanes >= 1 && p.stream.format.bits <= 16 &&
         (std::ssize(p.values) == size_of(p) ||
          std::ssize(p.values) == size_of(p) * p.stream.channels) &&
         std::ranges::all_of(p.values, [&](std::int64_t v) { return range.contains(v); });
}

MachineOut<Hardware> build(Scope& s, const LookupPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  if (p.by_block()) return build_by_block(s, p, in);
  const auto width = static_cast<std::uint32_t>(p.format.bits);
  Stages stages(s, in, p.stream.lanes, p.schedule());
  std::vector<UInt> results;
  for (std::int64_t lane = 0; lane < p.stream.lanes; ++lane) {
    const std::vector<std::uint64_t> contents = p.contents(lane);
    const UInt& index = in.in_data[static_cast<std::size_t>(lane)];
    const Net takes = stages.takes(lane, 0);
    if (p.in_memory())
      results.push_back(reg(s,
                            Memory{.depth = static_cast<std::uint32_t>(contents.size()),
                                   .width = width,
                                   .contents = contents,
                                   .read_enable = takes,
                                   .read_address = index}
                                .add_to(s),
                            {.enable = stages.moves(lane)}));
    else
      results.push_back(reg(s, table_in_luts(s, index, contents, width), {.enable = takes}));
  }
  return stages.leave(results);
}

Lanes beat(const LookupPlan& p, std::int64_t k, const Taken& in) {
  const auto lowest = static_cast<std::int64_t>(p.stream.format.range().lo);
  Lanes results;
  for (const std::uint64_t raw : in.at(0, k)) {
    const auto at = table_at(p, std::ssize(results), k % p.stream.blocks()) +
                    arith::value_of(raw, p.stream.format) - lowest;
    results.push_back(arith::raw_of(p.values[static_cast<std::size_t>(at)], p.format));
  }
  return results;
}

}  // namespace kumiki::gen::pipeline
