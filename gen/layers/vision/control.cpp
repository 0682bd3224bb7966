// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/control.h"

#include <algorithm>

#include "gen/hdl/cells.h"
#include "gen/layers/vision/handshake.h"

namespace kumiki::gen::vision {
namespace {

enum Phase : unsigned { running, flushing, draining, phases };

std::uint32_t bits_for(int highest) {
  return address_width(static_cast<std::uint64_t>(highest) + 1);
}

}  // namespace

Control build_control(Scope& s, const Group& group, const ControlIn& in, Net room) {
  const int radius = group.window->radius();
  const auto lines = group.lines();
  Control c;

  Wire<Net> step(s);
  const RegOptions state{.enable = step, .reset = in.rst};
  Fsm phase(s, phases, draining, state);
  const Net run = phase.in(running), flush = phase.in(flushing), drain = phase.in(draining);
  Reg<Net> pause(s, state);  // the empty step after a line of one beat
  step.drive(room & (~run | pause | in.valid));
  c.step = s.named("step", Net(step));
  s.named("run", run);
  s.named("flush", flush);
  s.named("drain", drain);
  s.named("pause", pause.q());
  c.ready = s.net(room & run & ~pause);

  // Columns. Empty lines are as long as the lines of the frame. The position of a column in its
  // line is known a step ahead, so the flags are registers.
  const Net beat = s.net((run | flush) & ~pause);
  Reg<Net> first_column(s, {.init = 1, .enable = step, .reset = in.rst});
  Reg<Net> flush_last(s, {.enable = step});  // the last column of an empty line
  const Net ends = s.net(~pause & mux(run, in.eol, flush & flush_last));
  Reg<UInt> column(s, address_width(lines.depth),
                   {.enable = s.net(step & beat), .reset = s.net(in.rst | (step & ends))});
  c.column = s.named("column", column.q());
  column.next(increment(s, column.q()));
  c.last_column = s.named("column_1", reg(s, column.q(), {.enable = step}));
  const Net line_taken = s.net(run & in.eol & ~pause);
  const Net line_ends = s.net(step & line_taken);
  const UInt before_last = s.named("before_last", reg(s, c.last_column, {.enable = line_ends}));
  first_column.next(ends | (first_column & ~beat));
  flush_last.next(mux(ends, first_column, pause | equals(s, column.q(), before_last)));
  const Net begins = s.net(beat & first_column);
  pause.next(first_column & ends);

  // Lines. `taken` counts the lines before this one, up to twice the radius, because the middle of
  // the window is `radius` lines back.
  const auto taken_bits = bits_for(2 * radius);
  Reg<UInt> taken(s, taken_bits, state);
  s.named("lines_taken", taken.q());
  const auto most = static_cast<unsigned>(2 * radius);
  {
    std::vector<Net> index(taken.q().nets().begin(), taken.q().nets().end());
    index.push_back(ends);
    index.push_back(drain);
    taken.next(look_up(
        s, taken_bits,
        [&](unsigned i) {
          const unsigned now = i & ((1u << taken_bits) - 1), event = i >> taken_bits;
          return event & 2 ? 0 : event & 1 && now < most ? now + 1 : now;
        },
        index));
  }
  const auto below_bits = bits_for(radius);
  Reg<UInt> below(s, below_bits,
                  {.init = static_cast<std::uint64_t>(radius), .enable = step, .reset = in.rst});
  const Net frame_taken = s.net(line_taken & in.eof);
  const Net bottom = equals(s, below.q(), 0);
  {
    std::vector<Net> index(below.q().nets().begin(), below.q().nets().end());
    index.push_back(frame_taken);
    index.push_back(s.net(flush & ends));
    index.push_back(drain);
    const auto r = static_cast<unsigned>(radius);
    below.next(look_up(
        s, below_bits,
        [&](unsigned i) {
          const unsigned now = i & ((1u << below_bits) - 1), event = i >> below_bits;
          if (event & 4) return r;
          if (event & 1) return r - 1;
          return event & 2 ? (now == 0 ? r : now - 1) : now;
        },
        index));
  }

  const auto drain_steps = static_cast<std::uint64_t>(std::max(group.latency() - 1, 2));
  const auto left =
      counter(s, {.modulo = drain_steps, .enable = s.net(step & drain), .reset = in.rst});
  phase.go(running, flushing, frame_taken);
  phase.go(flushing, draining, ends & bottom);
  phase.go(draining, running, left.last);
  phase.finish();
  Reg<Net> mute(s, {.init = 1, .enable = step, .reset = in.rst});
  mute.next(mute & drain & ~left.last);
  c.mute = s.named("mute", mute.q());

  Reg<Net> fresh(s, {.init = 1, .enable = step, .reset = in.rst});  // no beat of a frame taken yet
  fresh.next(drain | (fresh & ~beat));
  c.fresh = s.named("fresh", fresh.q());
  c.run = run;

  const RegOptions data{.enable = step};
  c.is_beat = reg(s, beat, data);
  c.begins = s.named("begins_1", reg(s, begins, data));
  c.ends = s.named("ends_1", reg(s, ends, data));
  const UInt seen = look_up(
      s, 1 + below_bits,
      [&](unsigned lines_before) {
        const int above = static_cast<int>(lines_before) - radius;
        return static_cast<unsigned>(above >= 0) |
               static_cast<unsigned>(std::clamp(above, 0, radius)) << 1;
      },
      taken.q().nets());
  c.has_middle = reg(s, beat & seen[0], data);
  c.is_bottom = reg(s, bottom, data);
  c.above = seen.slice(1, below_bits);
  c.below = s.named("below", below.q());
  for (const Net t : in.tail) c.tail.push_back(reg(s, t, {.enable = line_ends}));
  return c;
}

}  // namespace kumiki::gen::vision
