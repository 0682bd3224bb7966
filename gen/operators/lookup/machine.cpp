// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/lookup/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/table.h"

namespace kumiki::gen::pipeline {

bool LookupPlan::in_memory() const { return stream.format.bits > most_bits_in_luts; }

std::vector<std::uint64_t> LookupPlan::contents() const {
  std::vector<std::uint64_t> words(values.size());
  const auto lowest = static_cast<std::int64_t>(stream.format.range().lo);
  for (std::int64_t i = 0; i < std::ssize(values); ++i)
    words[arith::raw_of(lowest + i, stream.format)] =
        arith::raw_of(values[static_cast<std::size_t>(i)], format);
  return words;
}

std::string LookupPlan::text() const {
  return fmt::format("a function of {} bits in {}, {} lanes", stream.format.bits,
                     in_memory() ? "block memories" : "LUTs", stream.lanes);
}

std::string LookupPlan::module_name() const {
  return fmt::format("lookup{}x{}to{}", stream.lanes, stream.format.bits, format.bits);
}

bool legal(const LookupPlan& p) {
  const arith::Interval range = p.format.range();
  return p.stream.lanes >= 1 && p.stream.format.bits <= 16 &&
         std::ssize(p.values) == std::int64_t{1} << p.stream.format.bits &&
         std::ranges::all_of(p.values, [&](std::int64_t v) { return range.contains(v); });
}

MachineOut<Hardware> build(Scope& s, const LookupPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const std::vector<std::uint64_t> contents = p.contents();
  const auto width = static_cast<std::uint32_t>(p.format.bits);
  Stages stages(s, in, p.stream.lanes, p.schedule());
  std::vector<UInt> results;
  for (std::int64_t lane = 0; lane < p.stream.lanes; ++lane) {
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
    const auto at = arith::value_of(raw, p.stream.format) - lowest;
    results.push_back(arith::raw_of(p.values[static_cast<std::size_t>(at)], p.format));
  }
  return results;
}

}  // namespace kumiki::gen::pipeline
