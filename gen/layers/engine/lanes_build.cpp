// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gen/blocks/requant/float_lane.h"
#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/core_parts.h"

namespace kumiki::gen::engine {

// The ring has a word that is never full: a row of it may come before `has_room` is 0.
Ring build_ring(Scope& s, const CorePlan& p, const Ports& in, Net claims, Net ends_tile) {
  const std::uint32_t width = p.count_bits();
  const auto rows = static_cast<std::uint32_t>(p.shape.rows);
  const auto slices = static_cast<std::size_t>(p.chain_rows());
  Reg<Net> has_room(s, {.reset = in.rst});
  const Net takes = s.net(in.w_valid & has_room);
  // One of these bits for each row of a word.
  Reg<UInt> turn(s, rows, {.init = 1, .enable = takes, .reset = in.rst});
  turn.next(cat(s, {turn.q().slice(0, rows - 1), turn.q().slice(rows - 1, 1)}));
  const Net done = s.net(takes & turn.q()[rows - 1]);
  Reg<UInt> word(s, p.word_bits(), {.enable = done, .reset = in.rst});
  word.next(increment(s, word.q()));

  const UInt less_words = reg(s, sub(s, s.constant(0, width), zext(s, in.words, width)));
  const auto counted = [&](Net gives) {
    Reg<UInt> count(s, width, {.reset = in.rst});
    const UInt given = lut(
        s, [](bool g, bool bit) { return g && bit; }, gives, less_words);
    count.next(add(s, count.q(), given, done));
    return count.q();
  };
  const UInt there = counted(claims);
  const UInt taken = counted(delay(s, ends_tile, static_cast<std::uint32_t>(p.freed())));
  has_room.next(~equals(s, taken, static_cast<std::uint64_t>(p.most_words())));

  Ring ring{
      .has_room = has_room, .has_tile = at_least(s, there, zext(s, in.words, width)), .write = {}};
  for (std::size_t row = 0; row < slices; ++row) {
    const Net mine = p.is_double ? s.net(turn.q()[static_cast<std::uint32_t>(row)] |
                                         turn.q()[static_cast<std::uint32_t>(row + slices)])
                                 : turn.q()[static_cast<std::uint32_t>(row)];
    ring.write.enable.push_back(reg(s, s.net(takes & mine), {.reset = in.rst}));
  }
  ring.write.word = reg(s, word.q());
  Bit second = ir::net_zero;
  for (std::uint32_t row = static_cast<std::uint32_t>(slices); row < rows; ++row)
    second = second | turn.q()[row];
  ring.write.half = bits(s, {reg(s, s.net(second))});
  for (const UInt& data : in.w_data) ring.write.data.push_back(reg(s, data));
  return ring;
}

Parameters build_parameters(Scope& s, const CorePlan& p, const Ports& in, Net switches) {
  Parameters out{};
  Reg<Net> full(s, {.reset = in.rst});
  const Net takes = s.net(in.p_valid & ~full);
  const auto lanes = static_cast<std::uint64_t>(p.shape.columns);
  full.next((full & ~switches) | (takes & equals(s, in.p_lane, lanes - 1)));
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    const UInt next = reg(s, in.p_data, {.enable = s.net(takes & equals(s, in.p_lane, lane))});
    out.of_lane.push_back(reg(s, next, {.enable = switches}));
  }
  out.is_full = full;
  return out;
}

std::vector<UInt> build_lanes(Scope& s, const CorePlan& p, const Ports& in, Net held,
                              const std::vector<std::vector<UInt>>& sums,
                              const std::vector<UInt>& parameters) {
  // The pixel that enters the lanes: the first one when the sums are there.
  Reg<UInt> pixel(s, 2, {.reset = held});
  pixel.next(increment(s, pixel.q()));
  std::vector<UInt> results;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const UInt sum = reg(s, select(s, pixel.q(), std::span<const UInt>(sums[c])));
    results.push_back(instantiate(s, requant::build_float_lane, requant::FloatLanePlan{8},
                                  requant::FloatLaneIn<Hardware>{.en = ir::net_one,
                                                                 .sum = sum,
                                                                 .parameter = parameters[c],
                                                                 .zero = in.zero,
                                                                 .low = in.low,
                                                                 .high = in.high},
                                  fmt::format("lane{}", c))
                          .q);
  }
  (void)p;
  return results;
}

}  // namespace kumiki::gen::engine
