// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/compute.h"

#include "gen/layers/array/hardware/count.h"
#include "gen/layers/array/hardware/slice.h"
#include "gen/layers/array/hardware/steps.h"

namespace kumiki::gen::array {
namespace {

class Computing {
 public:
  Computing(Scope& s, const ArrayPlan& p, const Config& c, const Feed& feed, Net common_full,
            Net released)
      : s_(s),
        p_(p),
        c_(c),
        feed_(feed),
        common_full_(common_full),
        released_(released),
        walk_(s, p, c, Engine::compute),
        init_(s.named("compute_init", reg(s, walk_.fetch(), {.reset = c.rst}))),
        fc_(walk_.field(fields::compute_fc)[0]),
        sequence_(s, init_, c.rst) {}

  Steps build() {
    Wire<Net> layer_end(s_), flushed(s_), issue_wire(s_);
    const Net issue = issue_wire;
    const Net flush = s_.named("compute_flushes", latch(s_, layer_end, flushed, c_.rst));
    const Counter flushing =
        counter(s_, {.modulo = step_captured, .enable = flush, .reset = c_.rst});
    flushed.drive(flush & flushing.last);
    walk_.over(flushed);
    const Step now = sequence(issue);

    Steps out;
    const Net valid = sequence_.valid();
    const Net block_end = s_.net(issue & now.block_end);
    const UInt claimed = up_down(s_, block_end, released_, c_.rst);
    // A block starts only if there will be room for its results. Until then empty steps push the
    // previous blocks through the pipeline.
    const Net no_room = s_.net(valid & now.first & claimed[1]);
    const Net batch = p_.request.batched_fc ? walk_.field(fields::compute_batch)[0] : ir::net_zero;
    issue_wire.drive(valid & (common_full_ | batch) & (~now.wanted | ready_of(issue, now, out)) &
                     ~(now.first & claimed[1]));
    layer_end.drive(issue & now.layer_end);

    out.take_common = s_.net(issue & ~batch);
    out.batch = batch;
    out.load = s_.net(issue & now.wanted);
    out.go = s_.net(issue | flush | no_room);
    out.again = now.again;
    out.capture = s_.net(now.capture & issue);
    out.capture_at = now.at;
    out.swap = p_.swapped() ? s_.net(fc_ & ~batch) : fc_;
    out.down = p_.cuts_down() ? walk_.field(fields::compute_down)[0] : ir::net_zero;
    out.across = p_.cuts_across() ? walk_.field(fields::compute_across)[0] : ir::net_zero;
    out.computing = s_.named("computing", latch(s_, walk_.fetch(), flushed, c_.rst));
    out.late_shadow = out.take_shadow;
    out.late_direct = out.take_direct;
    return late(out, block_end);
  }

 private:
  // The properties of a step, counted ahead.
  struct Step {
    Net wanted;              // it takes an operand for all accumulators
    Net next, moves, holds;  // the next operand: a new one, the neighbour's, or none in this layer
    Net first, again, capture, block_end, layer_end;
    UInt at;  // {half, slot}
  };

  // Counters of the step: accumulator, tap across, phase across, tap down, phase down, channel.
  Step sequence(Net issue) {
    const Net step = sequence_.step();
    const int depth = p_.depth();
    Net slot_last = ir::net_one, first_slot = ir::net_one;
    Wire<Net> block_end(s_), slot_wraps(s_);
    Step now;
    UInt slot;
    if (depth > 1) {
      const auto width = address_width(static_cast<std::uint64_t>(depth));
      const Net wraps = slot_wraps;
      Reg<UInt> at(s_, width, {.enable = step, .reset = wraps});
      at.next(increment(s_, at.q()));
      slot = s_.named("slot", at.q());
      Reg<Net> last(s_, {.enable = step, .reset = wraps}),
          later_one(s_, {.enable = step, .reset = wraps});
      last.next(equals(s_, slot, static_cast<std::uint64_t>(depth - 2)));
      later_one.next(ir::net_one);
      slot_last = last.q();
      first_slot = s_.net(~later_one);
    }
    const UInt phases = walk_.field(fields::compute_phases);
    const Taps::Limits limits{walk_.field(fields::compute_taps), phases,
                              walk_.field(fields::compute_high)};
    Taps across(s_, limits, init_), down(s_, limits, init_);
    Down channels(s_, walk_.field(fields::compute_channels), init_);
    Down blocks(s_, walk_.field(fields::compute_blocks), init_);
    const Net taps_last = s_.net(across.phase_last() & down.tap_last() & down.phase_last());
    const Net window_last = s_.net(across.tap_last() & taps_last);
    const Bit tap_step = step & slot_last & ~fc_;
    across.finish(s_.net(tap_step), s_.net(tap_step & across.tap_last()));
    const Bit down_step = tap_step & across.tap_last() & across.phase_last();
    down.finish(s_.net(down_step), s_.net(down_step & down.tap_last()));

    // Channels, or inputs of a fully connected layer.
    const Net few =
        depth == 1 ? channels.last() : channels.at_most(static_cast<std::uint32_t>(depth - 1));
    channels.finish(s_.net(step & (fc_ | (slot_last & window_last))));
    const Net captures = s_.net(mux(fc_, few, window_last & channels.last()));
    block_end.drive(channels.last() & (fc_ | (slot_last & window_last)));
    slot_wraps.drive(init_ | (step & (slot_last | block_end)));
    blocks.finish(s_.net(step & block_end));
    const Net layer_end = s_.net(block_end & blocks.last());
    // In the first round of a block every accumulator is loaded, not added to.
    Reg<Net> again(s_, {.reset = s_.net(init_ | (step & block_end))});
    again.next(again | (step & slot_last));

    // A convolution takes an operand at the first accumulator and uses it for all T.
    const Bit wanted = fc_ | first_slot, through = fc_ | across.tap_last();
    const Bit last = blocks.last() & channels.last() & (fc_ | taps_last);
    auto pass = [&](const Bit& b) { return sequence_.pass(s_.net(b)); };
    now.wanted = pass(wanted);
    now.next = pass(wanted & through & ~last);
    now.holds = pass(wanted & through & last);
    now.moves = pass(wanted & ~through);
    now.first = pass(first_slot & ~again);
    now.again = pass(again.q());
    now.capture = pass(captures);
    now.block_end = pass(Net(block_end));
    now.layer_end = pass(layer_end);
    const UInt half = bits(s_, {half_at_work(s_, s_.net(step & block_end), c_.rst)});
    now.at = sequence_.pass(depth > 1 ? UInt(cat(s_, {half, slot})) : half);
    sequence_.finish(layer_end, issue);
    return now;
  }

  // The chain holds the next operand (ready), must move once more (moving), or waits for the
  // shadow or for a beat (loading). None of them: between layers.
  Net ready_of(Net issue, const Step& now, Steps& out) {
    Reg<Net> ready(s_, {.reset = c_.rst}), loading(s_, {.reset = c_.rst}),
        moving(s_, {.reset = c_.rst});
    const Net run = sequence_.valid();
    const Bit want = run & (loading | (issue & now.next));
    out.take_direct = s_.net(want & fc_ & feed_.direct_full);
    out.take_shadow = s_.net(want & ~fc_ & feed_.shadow_full);
    const Bit there = mux(fc_, Bit(feed_.direct_full), Bit(feed_.shadow_full));
    out.move = s_.net(run & (moving | (issue & now.moves)));

    const Bit hold = issue & now.holds;
    const Net twice = walk_.field(fields::compute_step)[0];
    // The chain holds the right operand already, or will after this clock's move.
    const Bit moved = mux(issue & now.wanted, ~twice, moving | ready);
    ready.next(~hold & mux(want, there, moved));
    loading.next(init_ | (~hold & ((want & ~there) | (loading & ~run))));
    moving.next(issue & now.moves & twice);
    return ready.q();
  }

  // The elements execute the step when its data have arrived from the banks.
  Steps late(Steps out, Net block_end) {
    const int clocks = p_.feed_clocks();
    for (auto member :
         {&Steps::load, &Steps::again, &Steps::capture, &Steps::swap, &Steps::down, &Steps::across,
          &Steps::batch, &Steps::late_shadow, &Steps::late_direct, &Steps::move})
      out.*member = later(s_, out.*member, clocks);
    out.capture_at = later(s_, out.capture_at, clocks);
    out.go = later(s_, out.go, clocks, c_.rst);
    out.block_captured = captured(out.go, later(s_, block_end, clocks, c_.rst));
    return out;
  }

  // The end of a block, delayed in steps until its last sum is written.
  Net captured(Net go, Net block_end) {
    const Net row_go = reg(s_, go, {.reset = c_.rst});
    Net end = reg(s_, block_end, {.reset = c_.rst});
    for (int i = 0; i < step_captured; ++i) end = reg(s_, end, {.enable = row_go, .reset = c_.rst});
    return s_.net(row_go & end);
  }

  Scope& s_;
  const ArrayPlan& p_;
  const Config& c_;
  const Feed& feed_;
  Net common_full_, released_;
  Walk walk_;
  Net init_, fc_;
  Sequence sequence_;
};

}  // namespace

Steps build_compute(Scope& s, const ArrayPlan& plan, const Config& config, const Feed& feed,
                    Net common_full, Net released) {
  return Computing(s, plan, config, feed, common_full, released).build();
}

}  // namespace kumiki::gen::array
