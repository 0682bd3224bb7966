// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/width.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace kumiki::gen::pipeline {

Stream WidthPlan::output() const {
  Stream out = stream;
  out.lanes = lanes;
  return out;
}

std::int64_t WidthPlan::parts() const {
  return cuts() ? stream.lanes / lanes : lanes / stream.lanes;
}

std::int64_t WidthPlan::last_parts() const {
  const Stream &wide = cuts() ? stream : output(), &narrow = cuts() ? output() : stream;
  return narrow.blocks() - (wide.blocks() - 1) * parts();
}

Parts WidthPlan::schedule() const {
  return {.cuts = cuts(),
          .pieces = stream.pixels(),
          .blocks = (cuts() ? stream : output()).blocks(),
          .parts = parts(),
          .last_parts = last_parts()};
}

std::string WidthPlan::text() const {
  return fmt::format("{} lanes of {} bits become {}", stream.lanes, stream.format.bits, lanes);
}

std::string WidthPlan::module_name() const {
  return fmt::format("width{}to{}x{}_c{}", stream.lanes, lanes, stream.format.bits,
                     stream.channels);
}

bool legal(const WidthPlan& p) {
  const auto [low, high] = std::minmax({p.stream.lanes, p.lanes});
  return low >= 1 && low < high && high % low == 0;
}

std::vector<WidthPlan> width_plans(const Stream& from, std::int64_t lanes, std::int64_t interval) {
  if (from.lanes == lanes) return {};
  const WidthPlan one{.stream = from, .lanes = lanes};
  if (legal(one)) return {one};
  const auto by_way_of = [&](std::int64_t middle) {
    const WidthPlan first{.stream = from, .lanes = middle};
    return std::vector{first, WidthPlan{.stream = first.output(), .lanes = lanes}};
  };
  auto narrow = by_way_of(std::gcd(from.lanes, lanes));
  if (narrow[0].schedule().interval() <= interval) return narrow;
  return by_way_of(std::lcm(from.lanes, lanes));
}

// The unused parts of a wide beat repeat its last narrow beat.
Lanes beat(const WidthPlan& p, std::int64_t k, const Taken& in) {
  Lanes all;
  if (p.cuts()) {
    const auto part = in.at(0, k / p.parts())
                          .subspan(static_cast<std::size_t>(k % p.parts() * p.lanes),
                                   static_cast<std::size_t>(p.lanes));
    return {part.begin(), part.end()};
  }
  for (std::int64_t part = k * p.parts(); part < (k + 1) * p.parts(); ++part) {
    const auto narrow = in.at(0, std::min(part, p.stream.blocks() - 1));
    all.insert(all.end(), narrow.begin(), narrow.end());
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
