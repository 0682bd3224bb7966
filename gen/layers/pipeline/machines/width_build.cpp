// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/hdl/skid.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/layers/pipeline/machines/width.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::uint32_t most_steered = 512;  // bits of a word that one register steers

// A shift register holds a wide beat; its lowest part leaves next. `held` shifts along and marks
// the remaining parts. While in_ready is 1, nothing in it is needed after this clock, so it loads
// whatever the input holds, a beat or not. Two narrow beats of room follow, so it is known a clock
// ahead whether the last part leaves. Thus in_ready is a register and no clock is lost.
MachineOut<Hardware> build_cut(Scope& s, const WidthPlan& p, const MachineIn<Hardware>& in) {
  const auto parts = static_cast<std::uint32_t>(p.parts());
  const RegOptions ready_options{.init = 1, .reset = in.rst};
  Reg<Net> ready(s, ready_options);
  Wire<Net> room(s);
  const Cycle blocks(s, p.stream.blocks(), s.net(in.in_valid[0] & ready), in.rst);

  Reg<UInt> held(s, parts, {.enable = s.net(ready | room), .reset = in.rst});
  s.named("held", held.q());
  const auto loaded = [&](std::uint32_t j) {
    return j < p.last_parts() ? Bit(in.in_valid[0]) : in.in_valid[0] & ~blocks.last();
  };
  const auto held_at = [&](std::uint32_t j) { return j < parts ? held.q()[j] : ir::net_zero; };
  std::vector<Net> held_next;
  for (std::uint32_t j = 0; j < parts; ++j)
    held_next.push_back(s.net(mux(ready, loaded(j), held_at(j + 1))));
  held.next(bits(s, held_next));
  Skid exit(s, in.rst, held.q()[0], in.out_ready);
  room.drive(exit.ready());

  const Bit room_next = in.out_ready | (room & ~(held.q()[0] & exit.valid()));
  const auto stays = [&](std::uint32_t j) {
    return mux(ready, loaded(j), mux(room, held_at(j + 1), held_at(j)));
  };
  const Net ready_next = s.net(~stays(0) | (~stays(1) & room_next));
  ready.next(ready_next);

  const UInt fresh = joined(s, in.in_data);
  const std::uint32_t part = fresh.width() / parts, below = fresh.width() - part;
  Wire<UInt> word(s, fresh.width());
  const UInt shifted = word.get().slice(part, below);
  std::vector<Word> pieces;
  for (std::uint32_t low = 0; low < fresh.width();) {
    const Net loads = low == 0 ? ready.q() : reg(s, ready_next, ready_options);
    const RegOptions options{.enable = s.net(loads | room)};
    const std::uint32_t end = low < below ? std::min(low + most_steered, below) : fresh.width();
    const UInt piece = fresh.slice(low, end - low);
    pieces.insert(
        pieces.begin(),
        reg(s, low < below ? mux(s, loads, piece, shifted.slice(low, end - low)) : piece, options));
    low = end;
  }
  word.drive(cat(s, pieces));
  const UInt front = exit.pass(word.get().slice(0, part));
  return {.in_ready = {ready.q()},
          .out_valid = exit.valid(),
          .out_data = lanes_of(front, p.output().lanes)};
}

// The side that takes narrow beats. A beat that comes while the wide beat waits has its own
// register, so in_ready is a register.
struct PutTogether {
  Reg<Net> room, full;
  UInt beat;
  Net takes;
  PutTogether(Scope& s, const MachineIn<Hardware>& in)
      : room(s, {.init = 1, .reset = in.rst}), full(s, {.reset = in.rst}) {
    const Bit here = in.in_valid[0] | ~room, can = ~full | in.out_ready;
    room.next(can | ~here);
    takes = s.net(here & can);
    const UInt fresh = joined(s, in.in_data);
    beat = mux(s, room, fresh, reg(s, fresh, {.enable = room}));
  }
  MachineOut<Hardware> out(const MachineIn<Hardware>& in, Net ends,
                           const std::vector<UInt>& parts) {
    full.next(mux(takes, ends, full & ~in.out_ready));
    MachineOut<Hardware> out{.in_ready = {room.q()}, .out_valid = full.q(), .out_data = {}};
    for (const UInt& part : parts) {
      const auto lanes = lanes_of(part, std::ssize(in.in_data));
      out.out_data.insert(out.out_data.end(), lanes.begin(), lanes.end());
    }
    return out;
  }
};

// If every wide beat has all of its parts, parts enter at the top and move down: no part needs a
// condition of its own.
MachineOut<Hardware> build_shifted(Scope& s, const WidthPlan& p, const MachineIn<Hardware>& in) {
  PutTogether side(s, in);
  const Cycle count(s, p.parts(), side.takes, in.rst);
  std::vector<UInt> parts(static_cast<std::size_t>(p.parts()));
  UInt next = side.beat;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    next = *part = reg(s, next, {.enable = side.takes});
  return side.out(in, count.last(), parts);
}

// For pixels that end in the middle of a wide beat. A narrow beat goes into its part and all parts
// above it; later beats overwrite those. So nothing of an earlier wide beat is left there.
MachineOut<Hardware> build_placed(Scope& s, const WidthPlan& p, const MachineIn<Hardware>& in) {
  const auto parts = static_cast<std::uint32_t>(p.parts());
  const auto last_parts = static_cast<std::uint32_t>(p.last_parts());
  PutTogether side(s, in);
  // The parts below the place of the next beat.
  Wire<Net> ends(s);
  Reg<UInt> past(s, parts - 1, {.enable = side.takes, .reset = in.rst});
  s.named("past", past.q());
  const Cycle blocks(s, p.output().blocks(), s.net(side.takes & ends), in.rst);
  const auto is_from = [&](std::uint32_t j) { return j == 0 ? ir::net_one : past.q()[j - 1]; };
  ends.drive(is_from(parts - 1) | (blocks.last() & is_from(last_parts - 1)));
  std::vector<Net> past_next;
  for (std::uint32_t j = 0; j + 1 < parts; ++j) past_next.push_back(s.net(~ends & is_from(j)));
  past.next(bits(s, past_next));
  std::vector<UInt> all;
  for (std::uint32_t j = 0; j < parts; ++j) {
    const Bit writes = j + 1 < parts ? side.takes & ~past.q()[j] : Bit(side.takes);
    all.push_back(reg(s, side.beat, {.enable = s.net(writes)}));
  }
  return side.out(in, ends, all);
}

}  // namespace

MachineOut<Hardware> build(Scope& s, const WidthPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  if (p.cuts()) return build_cut(s, p, in);
  return p.last_parts() == p.parts() ? build_shifted(s, p, in) : build_placed(s, p, in);
}

}  // namespace kumiki::gen::pipeline
