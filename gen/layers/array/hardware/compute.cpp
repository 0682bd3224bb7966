// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/hardware/compute.h"

#include "gen/layers/array/hardware/slice.h"

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
        issue_wire_(s),
        block_end_wire_(s),
        issue_(issue_wire_),
        block_end_(block_end_wire_) {}

  Steps build() {
    Wire<Net> layer_end(s_), flushed(s_);
    const Net init = s_.named("compute_init", reg(s_, walk_.fetch(), {.reset = c_.rst}));
    const Net run = s_.named("compute_runs", latch(s_, init, layer_end, c_.rst));
    const Net flush = s_.named("compute_flushes", latch(s_, layer_end, flushed, c_.rst));
    const Counter flushing =
        counter(s_, {.modulo = step_captured, .enable = flush, .reset = c_.rst});
    flushed.drive(flush & flushing.last);
    walk_.over(flushed);
    fc_ = walk_.field(fields::compute_fc)[0];
    place(init);

    const UpTo block = up_to(s_, walk_.field(fields::compute_blocks), block_end_, c_.rst);
    // A convolution takes an operand at the first accumulator and uses it for all T.
    const Net wanted = s_.net(fc_ | first_slot_);
    Wire<Net> ready(s_);
    claimed_ = up_down(s_, block_end_, released_, c_.rst);
    // A block starts when there will be room for its results. Until then empty steps push the
    // blocks before it through the pipeline.
    Wire<Net> again(s_);
    const Net no_room = s_.net(run & ~again & first_slot_ & claimed_[1]);
    const Net batch = p_.request.batched_fc ? walk_.field(fields::compute_batch)[0] : ir::net_zero;
    issue_wire_.drive(run & (common_full_ | batch) & (~wanted | ready) & ~no_room);
    block_end_wire_.drive(issue_ & mux(fc_, none_remain_, slot_last_ & capture_));
    layer_end.drive(block_end_ & block.last);

    Steps out;
    out.take_common = s_.net(issue_ & ~batch);
    out.batch = batch;
    operands(run, init, block.last, wanted, ready, out);
    out.go = s_.net(issue_ | flush | no_room);
    out.capture = s_.net(capture_ & issue_);
    first_round(out);
    again.drive(out.again);
    const Net half = half_at_work(s_, block_end_, c_.rst);
    out.capture_at = p_.depth() > 1 ? cat(s_, {bits(s_, {half}), slot_}) : bits(s_, {half});
    out.swap = p_.swapped() ? s_.net(fc_ & ~batch) : fc_;
    out.down = p_.cuts_down() ? walk_.field(fields::compute_down)[0] : ir::net_zero;
    out.across = p_.cuts_across() ? walk_.field(fields::compute_across)[0] : ir::net_zero;
    out.computing = s_.net(init | run | flush);
    out.block_captured = captured(out.go);
    return out;
  }

 private:
  // Counters of the step: accumulator, tap across, phase across, tap down, phase down, channel.
  void place(Net init) {
    Net slot_step = issue_;
    slot_last_ = first_slot_ = ir::net_one;
    if (p_.depth() > 1) {
      Count slot(s_, address_width(static_cast<std::uint64_t>(p_.depth())), c_.rst);
      slot_ = s_.named("slot", slot.value());
      slot_last_ = equals(s_, slot_, static_cast<std::uint64_t>(p_.depth() - 1));
      first_slot_ = equals(s_, slot_, 0);
      slot.finish(issue_, s_.net(slot_last_ | block_end_));
      slot_step = s_.net(issue_ & slot_last_);
    }
    const Net tap_step = s_.net(slot_step & ~fc_);
    const UInt taps = walk_.field(fields::compute_taps), high = walk_.field(fields::compute_high);
    const UInt phases = walk_.field(fields::compute_phases);
    Count tap_b(s_, taps.width(), c_.rst), b(s_, phases.width(), c_.rst);
    Count tap_a(s_, taps.width(), c_.rst), a(s_, phases.width(), c_.rst);
    tap_last_ = equals(s_, tap_b.value(), last_tap(s_, taps, b.value(), high));
    const Net b_last = equals(s_, b.value(), phases);
    const Net down_last = equals(s_, tap_a.value(), last_tap(s_, taps, a.value(), high));
    const Net a_last = equals(s_, a.value(), phases);
    tap_b.finish(tap_step, tap_last_);
    // Each enable comes from all counters at once, not from the enable before: a shorter path.
    b.finish(s_.net(tap_step & tap_last_), b_last);
    tap_a.finish(s_.net(tap_step & tap_last_ & b_last), down_last);
    a.finish(s_.net(tap_step & tap_last_ & b_last & down_last), a_last);
    window_last_ = s_.net(tap_last_ & b_last & down_last & a_last);
    taps_last_ = s_.net(b_last & down_last & a_last);

    // Channels, or inputs of a fully connected layer, still to come after this one.
    const UInt channels = walk_.field(fields::compute_channels);
    const Bit step = issue_ & (fc_ | (slot_last_ & window_last_));
    Reg<UInt> remaining(s_, channels.width(), {.enable = s_.net(init | step)});
    none_remain_ = equals(s_, remaining.q(), 0);
    const UInt fewer =
        add(s_, remaining.q(), s_.constant((1u << channels.width()) - 1, channels.width()));
    remaining.next(mux(init | none_remain_, channels, fewer));
    capture_ = s_.net(mux(fc_, fewer_than_slots(remaining.q()), window_last_ & none_remain_));
  }

  Net fewer_than_slots(const UInt& remaining) {
    if (p_.depth() == 1) return none_remain_;
    return less(s_, remaining,
                s_.constant(static_cast<std::uint64_t>(p_.depth()), remaining.width()));
  }

  // The chain holds the next operand (ready), must move once more (moving), or waits for the
  // shadow or for a beat (loading). None of them: between layers.
  void operands(Net run, Net init, Net blocks_over, Net wanted, Wire<Net>& ready_wire, Steps& out) {
    Reg<Net> ready(s_, {.reset = c_.rst}), loading(s_, {.reset = c_.rst}),
        moving(s_, {.reset = c_.rst});
    ready_wire.drive(ready.q());
    const Net consume = s_.net(issue_ & wanted);
    // This is the last operand of the layer.
    const Net last = s_.net(blocks_over & none_remain_ & (fc_ | taps_last_));
    const Bit through = consume & (fc_ | tap_last_);
    const Net want = s_.net(run & (loading | (through & ~last)));
    out.take_direct = s_.net(want & fc_ & feed_.direct_full);
    out.take_shadow = s_.net(want & ~fc_ & feed_.shadow_full);
    out.move = s_.net(run & (moving | (consume & ~fc_ & ~tap_last_)));
    out.load = consume;

    const Net hold = s_.net(through & last);
    const Net taken = s_.net(out.take_direct | out.take_shadow);
    const Net twice = walk_.field(fields::compute_step)[0];
    // The chain holds the right operand already, or will after the move of this clock.
    const Net moved = s_.net(mux(consume, ~twice, out.move | ready));
    ready.next(~hold & (taken | (~want & moved)));
    loading.next(init | (~hold & ~taken & (want | (loading & ~run))));
    moving.next(~hold & ~want & consume & twice);
  }

  // In the first round of a block every accumulator is loaded, not added to.
  void first_round(Steps& out) {
    Reg<Net> again(s_, {.reset = s_.net(c_.rst | block_end_)});
    again.next(again | (issue_ & slot_last_));
    out.again = again.q();
  }

  // The end of a block, delayed by steps until its last sum is written.
  Net captured(Net go) {
    const Net row_go = reg(s_, go, {.reset = c_.rst});
    Net end = reg(s_, Net(block_end_), {.reset = c_.rst});
    for (int i = 0; i < step_captured; ++i) end = reg(s_, end, {.enable = row_go, .reset = c_.rst});
    return s_.net(row_go & end);
  }

  Scope& s_;
  const ArrayPlan& p_;
  const Config& c_;
  const Feed& feed_;
  Net common_full_, released_;
  Walk walk_;
  Wire<Net> issue_wire_, block_end_wire_;
  Net issue_, block_end_;
  Net fc_, slot_last_, first_slot_, tap_last_, taps_last_, window_last_, none_remain_, capture_;
  UInt slot_, claimed_;
};

}  // namespace

Steps build_compute(Scope& s, const ArrayPlan& plan, const Config& config, const Feed& feed,
                    Net common_full, Net released) {
  return Computing(s, plan, config, feed, common_full, released).build();
}

}  // namespace kumiki::gen::array
