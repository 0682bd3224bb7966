// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/concat/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/hdl/skid.h"

namespace kumiki::gen::pipeline {
namespace {

UInt extended(Scope& s, const UInt& number, const arith::Format& format, std::uint32_t width) {
  return format.is_signed ? UInt(sext(s, as_signed(number), width)) : zext(s, number, width);
}

}  // namespace

Stream ConcatPlan::output() const {
  Stream out = streams[0];
  // The narrowest format that holds all inputs: unscaled sums come at their actual width.
  arith::Interval numbers = out.format.range();
  out.channels = out.height = out.width = 0;
  std::int64_t beats = 0;
  for (const Stream& in : streams) {
    out.channels += in.channels;
    out.height += in.height;
    out.width += in.width;
    beats += in.beats();
    numbers = hull(numbers, in.format.range());
    out.format.bits = std::max(out.format.bits, in.format.bits);
  }
  if (numbers.lo < 0) out.format = {arith::signed_bits(numbers), true};
  if (along == Along::frames)
    return {.width = beats, .channels = out.lanes, .lanes = out.lanes, .format = out.format};
  if (along != Along::channels) out.channels = streams[0].channels;
  if (along != Along::lines) out.height = streams[0].height;
  if (along != Along::columns) out.width = streams[0].width;
  return out;
}

Turns ConcatPlan::schedule() const {
  Turns turns{.pieces = along == Along::channels  ? streams[0].pixels()
                        : along == Along::columns ? streams[0].height
                                                  : 1,
              .beats = {}};
  for (const Stream& in : streams) turns.beats.push_back(in.beats() / turns.pieces);
  return turns;
}

std::string ConcatPlan::text() const {
  const std::int64_t lanes = streams[0].lanes;
  if (along == Along::frames)
    return fmt::format("{} maps, one behind the other, {} lanes", streams.size(), lanes);
  std::string sizes;
  for (const Stream& in : streams)
    sizes += fmt::format("{}{}", sizes.empty() ? "" : " + ",
                         along == Along::channels ? in.channels
                         : along == Along::lines  ? in.height
                                                  : in.width);
  const char* axis = along == Along::channels ? "channels"
                     : along == Along::lines  ? "lines"
                                              : "columns";
  return fmt::format("{} {}, {} lanes", sizes, axis, lanes);
}

std::string ConcatPlan::module_name() const {
  return fmt::format("{}{}_{}x{}", kind(), streams.size(), streams[0].lanes,
                     streams[0].format.bits);
}

bool legal(const ConcatPlan& p) {
  if (p.streams.size() < 2 || p.streams.size() > most_concats) return false;
  for (std::size_t i = 0; i < p.streams.size(); ++i) {
    if (p.along == Along::frames) {
      if (p.streams[i].lanes != p.streams[0].lanes) return false;
      continue;
    }
    Stream like_first = p.streams[i].with(p.streams[0].format);
    if (p.along == Along::channels) like_first.channels = p.streams[0].channels;
    if (p.along == Along::lines) like_first.height = p.streams[0].height;
    if (p.along == Along::columns) like_first.width = p.streams[0].width;
    if (like_first != p.streams[0]) return false;
    if (p.along == Along::channels && i + 1 < p.streams.size() &&
        p.streams[i].channels % p.streams[i].lanes != 0)
      return false;
  }
  return true;
}

MachineOut<Hardware> build(Scope& s, const ConcatPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const auto inputs = static_cast<std::uint32_t>(p.streams.size());
  std::vector<Reg<Net>> ready;
  for (std::uint32_t i = 0; i < inputs; ++i)
    ready.emplace_back(s, RegOptions{.init = i == 0 ? 1u : 0u, .reset = in.rst});
  // Three inputs share a LUT.
  std::vector<Net> moving;
  for (std::uint32_t i = 0; i < inputs; i += 3) {
    Bit some = ir::net_zero;
    for (std::uint32_t k = i; k < std::min(i + 3, inputs); ++k) some |= in.in_valid[k] & ready[k];
    moving.push_back(s.net(some));
  }
  const Net moves = any_of(s, moving);
  const Turns turns = p.schedule();
  std::vector<std::int64_t> ends;
  for (const std::int64_t beats : turns.beats)
    ends.push_back((ends.empty() ? -1 : ends.back()) + beats);
  const Net is_end = Cycle(s, turns.in_round(), moves, in.rst).is_one_of(ends);

  // The current input: one-hot, and as an index that selects the data.
  const RegOptions next_turn{.init = 0, .enable = s.net(moves & is_end), .reset = in.rst};
  RegOptions from_first = next_turn;
  from_first.init = 1;
  Reg<UInt> turn(s, inputs, from_first);
  s.named("turn", turn.q());
  const auto turn_of = [&](std::uint32_t i) { return turn.q()[i % inputs]; };
  std::vector<Net> behind, index_next;
  for (std::uint32_t i = 0; i < inputs; ++i) behind.push_back(turn_of(i + inputs - 1));
  turn.next(bits(s, behind));
  for (std::uint32_t digit = 0; 1u << digit < inputs; ++digit) {
    std::vector<Net> with_digit;
    for (std::uint32_t i = 0; i < inputs; ++i)
      if ((i >> digit & 1) != 0) with_digit.push_back(behind[i]);
    index_next.push_back(any_of(s, with_digit));
  }
  const UInt index = reg(s, bits(s, index_next), next_turn);

  // Prepare both answers: whether a beat moves is known last.
  Skid exit(s, in.rst, moves, in.out_ready);
  MachineOut<Hardware> out{.in_ready = {}, .out_valid = exit.valid(), .out_data = {}};
  for (std::uint32_t i = 0; i < inputs; ++i) {
    const Net if_moves = s.net((in.out_ready | ~exit.valid()) & mux(is_end, behind[i], turn_of(i)));
    ready[i].next(mux(moves, if_moves, (in.out_ready | exit.ready()) & turn_of(i)));
    out.in_ready.push_back(ready[i].q());
  }
  const auto lanes = static_cast<std::size_t>(p.streams[0].lanes);
  const auto width = static_cast<std::uint32_t>(p.output().format.bits);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::vector<UInt> items;
    for (std::uint32_t i = 0; i < inputs; ++i)
      items.push_back(extended(s, in.in_data[i * lanes + lane], p.streams[i].format, width));
    out.out_data.push_back(exit.pass(select(s, index, std::span<const UInt>(items))));
  }
  return out;
}

Lanes beat(const ConcatPlan& p, std::int64_t k, const Taken& in) {
  const Turns turns = p.schedule();
  std::size_t input = 0;
  for (; k >= turns.beats[input]; ++input) k -= turns.beats[input];
  const arith::Format from = p.streams[input].format, to = in.output().format;
  Lanes all;
  for (const std::uint64_t raw : in.at(input, k))
    all.push_back(arith::raw_of(arith::value_of(raw, from), to));
  return all;
}

}  // namespace kumiki::gen::pipeline
