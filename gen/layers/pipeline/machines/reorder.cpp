// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/reorder.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/hdl/held.h"
#include "gen/layers/pipeline/foldings.h"
#include "gen/layers/pipeline/machines/add_chosen.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/layers/pipeline/machines/results.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_beats = 1 << 16, most_depth_in_luts = 64;
constexpr std::int64_t most_dense = 1 << 16;  // two carries of eight bits count so far
constexpr std::size_t most_counters = 5;      // add_chosen() has as many flags

std::uint32_t blocks(const ReorderPlan& p, std::int64_t depth) {
  return ir::memory::brams_18k(static_cast<std::uint64_t>(depth),
                               static_cast<std::uint64_t>(p.stream.bits()));
}

// Where the second piece begins: at a power of two, so that a bit of the address tells the two
// apart, or right behind the first one, where that takes fewer block memories.
std::int64_t second(const ReorderPlan& p) {
  const auto apart =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(p.beats())));
  const std::int64_t depth = apart + p.beats(), dense = 2 * p.beats();
  if (depth <= most_depth_in_luts || dense > most_dense) return apart;
  return blocks(p, dense) < blocks(p, depth) ? p.beats() : apart;
}
bool is_dense(const ReorderPlan& p) {
  return p.held > 1 && second(p) == p.beats() &&
         !std::has_single_bit(static_cast<std::uint64_t>(p.beats()));
}

struct Reading {
  UInt address;
  Net ends;  // the last read of a piece
};

// From a place in a piece to the address.
UInt address_of(Scope& s, const ReorderPlan& p, const UInt& half, const UInt& at) {
  if (p.held == 1) return at;
  if (!is_dense(p)) return cat(s, {Word(half), Word(at)});
  return reg(s, add_chosen(
                    s, zext(s, at, address_width(static_cast<std::uint64_t>(p.depth()))), {half[0]},
                    [&](unsigned second) { return second != 0 ? p.beats() : 0; }, ir::net_zero));
}

// Only registers enable the counters, so they form no chain.
Reading build_reading(Scope& s, const ReorderPlan& p, Net room, Net some, Net reset) {
  const Nest nest = *Nest::of(p.reads);
  auto moves = room & some;
  const Net first = s.net(moves);
  std::vector<Net> lasts;
  for (const Nest::Counter& counter : nest.counters) {
    const Cycle cycle(s, counter.count, s.net(moves), reset);
    lasts.push_back(cycle.last());
    moves = moves & cycle.last();
  }
  const Net ends = s.net(moves);
  const Cycle half(s, p.held, ends, reset);
  if (p.beats() == 1) return {half.at(), ends};
  const auto width = address_width(static_cast<std::uint64_t>(p.beats()));
  const auto front = static_cast<std::uint64_t>(p.reads.front());
  if (lasts.empty()) return {address_of(s, p, half.at(), s.constant(front, width)), ends};
  Reg<UInt> at(s, width, {.init = front, .enable = first, .reset = reset});
  at.next(add_chosen(
      s, at.q(), lasts,
      [&](unsigned flags) -> std::int64_t {
        const auto counter = static_cast<std::size_t>(std::countr_one(flags));
        return counter < lasts.size() ? nest.jump(counter) : p.reads.front() - p.reads.back();
      },
      ir::net_zero));
  return {address_of(s, p, half.at(), at.q()), ends};
}

// The address of the beat that comes.
UInt build_writing(Scope& s, const ReorderPlan& p, const Cycle& place, Net takes, Net reset) {
  if (p.held == 1) return place.at();
  if (is_dense(p)) return Cycle(s, 2 * p.beats(), takes, reset).at();
  const Cycle half(s, 2, place.ends(), reset);
  return p.beats() == 1 ? half.at() : cat(s, {Word(half.at()), Word(place.at())});
}

}  // namespace

std::optional<Nest> Nest::of(std::vector<std::int32_t> addresses) {
  Nest nest;
  while (addresses.size() > 1) {
    if (nest.counters.size() == most_counters) return std::nullopt;
    const std::int64_t step = std::int64_t{addresses[1]} - addresses[0];
    std::size_t count = 2;
    const auto follows = [&](std::size_t i) { return addresses[i] - addresses[i - 1] == step; };
    while (count < addresses.size() && follows(count)) ++count;
    // The largest part of the first run that all addresses consist of.
    for (; count > 1; --count) {
      bool fits = addresses.size() % count == 0;
      for (std::size_t i = 1; fits && i < addresses.size(); ++i)
        fits = i % count == 0 || follows(i);
      if (fits) break;
    }
    if (count == 1) return std::nullopt;
    nest.counters.push_back({static_cast<std::int64_t>(count), step});
    for (std::size_t i = 0; i * count < addresses.size(); ++i) addresses[i] = addresses[i * count];
    addresses.resize(addresses.size() / count);
  }
  return nest;
}

std::int64_t Nest::jump(std::size_t counter) const {
  std::int64_t all = counters[counter].step;
  for (std::size_t i = 0; i < counter; ++i) all -= (counters[i].count - 1) * counters[i].step;
  return all;
}

std::int64_t ReorderPlan::depth() const { return held == 1 ? beats() : second(*this) + beats(); }

bool ReorderPlan::in_luts() const { return depth() <= most_depth_in_luts; }

std::optional<std::string> ReorderPlan::why_not() const {
  if (stream.format.bits < 1 || stream.format.bits > 32)
    return fmt::format("numbers of {} bits: they must have 1 to 32", stream.format.bits);
  if (beats() > most_beats)
    return fmt::format("{} beats wait for each other: it must be at most {}", beats(), most_beats);
  if (!Nest::of(reads))
    return fmt::format("its numbers leave in an order that {} counters cannot follow",
                       most_counters);
  return std::nullopt;
}

Lines ReorderPlan::schedule() const {
  return {.pieces = pieces,
          .beats = beats(),
          .gives = std::ssize(reads),
          // From the place in a piece to the word.
          .results = {.clocks = in_luts()         ? 1
                                : is_dense(*this) ? 3
                                                  : 2},
          .room = held};
}

std::string ReorderPlan::text() const {
  return fmt::format("{}x{}x{} as {}x{}x{}, {} beats at a time", stream.channels, stream.height,
                     stream.width, made.channels, made.height, made.width, beats());
}

std::string ReorderPlan::module_name() const {
  return fmt::format("reorder{}_{}x{}x{}_l{}{}", reads.size(), stream.channels, stream.height,
                     stream.width, stream.lanes, held == 1 ? "_alone" : "");
}

std::optional<ReorderPlan> reordered(const Stream& stream, Stream made, const Sources& sources) {
  made.lanes = stream.lanes;
  const std::int64_t pixels = stream.pixels();
  std::vector<std::int32_t> words;
  for (std::int64_t pixel = 0; pixel < made.pixels(); ++pixel)
    for (std::int64_t first = 0; first < made.channels; first += made.lanes) {
      const std::int64_t channels = std::min(made.lanes, made.channels - first);
      const auto source = [&](std::int64_t channel) {
        return sources[static_cast<std::size_t>((first + channel) * made.pixels() + pixel)];
      };
      const std::int64_t begin = source(0);
      if (begin / pixels % stream.lanes != 0) return std::nullopt;
      for (std::int64_t channel = 1; channel < channels; ++channel)
        if (source(channel) != begin + channel * pixels) return std::nullopt;
      words.push_back(static_cast<std::int32_t>(begin % pixels * stream.blocks() +
                                                begin / pixels / stream.lanes));
    }
  // The smallest pieces that are reordered alike.
  const std::int64_t alike = std::gcd(stream.beats(), made.beats());
  for (std::int64_t pieces = alike;; --pieces) {
    if (alike % pieces != 0) continue;
    const std::int64_t come = stream.beats() / pieces, leave = made.beats() / pieces;
    bool fits = true;
    for (std::int64_t k = 0; fits && k < made.beats(); ++k)
      fits = words[static_cast<std::size_t>(k)] ==
                 k / leave * come + words[static_cast<std::size_t>(k % leave)] &&
             words[static_cast<std::size_t>(k % leave)] < come;
    if (!fits) continue;
    words.resize(static_cast<std::size_t>(leave));
    return ReorderPlan{stream, made, pieces, std::move(words)};
  }
}

std::vector<ReorderPlan> reordered(const graph::Tensor& in, const graph::Tensor& out,
                                   const Sources& sources) {
  std::vector<ReorderPlan> all;
  for (std::int64_t lanes = 1; lanes <= in.shape[0]; ++lanes) {
    auto plan = reordered(stream_of(in, lanes), stream_of(out, lanes), sources);
    if (!plan || (lanes > 1 && plan->why_not())) continue;
    if (all.empty() || plan->schedule().interval() < all.back().schedule().interval())
      all.push_back(std::move(*plan));
  }
  return all;
}

ReorderPlan repeated(const Stream& stream, std::int64_t times) {
  ReorderPlan plan{stream, stream, 1, {}};
  plan.made.height *= times;
  for (std::int64_t k = 0; k < times * stream.beats(); ++k)
    plan.reads.push_back(static_cast<std::int32_t>(k % stream.beats()));
  return plan;
}

ReorderPlan by_pixel(const Stream& parts, const Stream& made, std::int64_t times) {
  ReorderPlan plan{parts, made, 1, {}};
  const std::int64_t of_a_part = parts.beats() / times, blocks = parts.blocks();
  for (std::int64_t pixel = 0; pixel < made.pixels(); ++pixel)
    for (std::int64_t block = 0; block < made.blocks(); ++block)
      plan.reads.push_back(
          static_cast<std::int32_t>(block / blocks * of_a_part + pixel * blocks + block % blocks));
  return plan;
}

ReorderPlan from_pairs(const Stream& pairs, const Stream& made, std::int64_t tile_channels) {
  ReorderPlan plan{pairs, made, pairs.pixels(), {}};
  const std::int64_t of_tile = tile_channels / made.lanes;
  for (const std::int64_t pixel : {0, 1})
    for (std::int64_t block = 0; block < made.blocks(); ++block)
      plan.reads.push_back(static_cast<std::int32_t>(block / of_tile * 2 * of_tile +
                                                     pixel * of_tile + block % of_tile));
  return plan;
}

MachineOut<Hardware> build(Scope& s, const ReorderPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Net reset = in.rst;
  Held pieces(s, p.held, 0, reset);
  const Net some = pieces.some();
  Reg<Net> ready(s, {.init = 1, .reset = reset}), room(s, {.init = 1, .reset = reset});
  const Net takes = s.net(in.in_valid[0] & ready);
  const Cycle place(s, p.beats(), takes, reset);
  const Reading reading = build_reading(s, p, room.q(), some, reset);
  ready.next(~pieces.update(place.ends(), reading.ends));
  const UInt to = build_writing(s, p, place, takes, reset);
  const UInt word =
      Memory{.depth = static_cast<std::uint32_t>(p.depth()),
             .width = static_cast<std::uint32_t>(p.stream.bits()),
             .style = p.in_luts() ? ir::memory::distributed : ir::memory::block,
             .read = p.in_luts() ? ir::memory::registered : ir::memory::twice_registered,
             .write_enable = takes,
             .write_address = to,
             .write_data = joined(s, in.in_data),
             .read_address = reading.address}
          .add_to(s);
  const ResultsPlan waits = p.schedule().results;
  const Net arrives = later(s, s.net(room & some), waits.clocks, reset);
  const Results results(s, waits, arrives, word, in.out_ready, reset);
  room.next(results.room_next());
  return {.in_ready = {ready.q()},
          .out_valid = results.valid(),
          .out_data = lanes_of(results.word(), p.stream.lanes)};
}

Lanes beat(const ReorderPlan& p, std::int64_t k, const Taken& in) {
  const auto same = in.at(0, p.reads[static_cast<std::size_t>(k)]);
  return {same.begin(), same.end()};
}

}  // namespace kumiki::gen::pipeline
