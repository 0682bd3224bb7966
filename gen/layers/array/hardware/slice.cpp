// SPDX-License-Identifier: Apache-2.0
// P = M + accumulator. The T accumulators of a place circulate: P, a memory of T - 2 words, C.
//
// Packed, P holds high * 2^18 + low. The low lane is watched for overflow of its 18 bits. A product
// has at most 2^15, so the two bits below the border go from 11 to 00 on overflow and from 00 to 11
// on underflow. A 12-bit counter for each accumulator records this and circulates with it; the
// drain combines the lanes.
//
// The alternative closes a segment every seven terms and harvests it: 4 bits each, a 16-bit
// accumulator behind them, P shuffled on its way to C. The counter takes 12 LUTs less for each
// slice and needs no count of terms. The ring is distributed memory because that takes 4 LUTs for 6
// bits; shift registers take one for each bit.
#include "gen/layers/array/hardware/slice.h"

#include <fmt/format.h>

#include "gen/hdl/cells.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::array {
namespace {

// The same word T - 2 steps later.
UInt ring(Scope& s, const SlicePlan& p, const SliceIn<Hardware>& in, const UInt& word) {
  const int steps = p.depth - 2;
  if (steps <= 0) return word;
  if (steps == 1) return reg(s, word, {.enable = in.go});
  return Memory{.depth = static_cast<std::uint32_t>(steps),
                .width = word.width(),
                .style = ir::memory::distributed,
                .read = ir::memory::asynchronous,
                .write_enable = in.go,
                .write_address = in.place.front(),
                .write_data = word,
                .read_address = in.place.front()}
      .add_to(s);
}

Dsp48e2 multiplier(Scope& s, const SlicePlan& p, const SliceIn<Hardware>& in) {
  // Without a step OPMODE holds like everything else.
  Dsp48e2 dsp{.enable = in.go, .cea1 = in.load, .ced = in.load, .cectrl = in.go};
  dsp.attributes.breg = 2;
  if (p.packed) {
    dsp.attributes.amultsel = ir::dsp48e2::AMultSel::ad;
    dsp.cea2 = in.load;
    dsp.inmode = 0b00100;  // D + A
    const UInt high(sext(s, as_signed(in.individual[1]), dsp48e2.a - low_lane_bits));
    dsp.a = cat(s, {high, s.constant(0, low_lane_bits)});
    dsp.d = sext(s, as_signed(in.individual[0]), dsp48e2.d);
    dsp.b = sext(s, as_signed(in.common), dsp48e2.b);
    return dsp;
  }
  dsp.attributes.areg = 2;
  UInt a = in.individual[0], b = in.common;
  if (p.swapped) {
    a = mux(s, in.swap[0], in.common, in.individual[0]);
    b = mux(s, in.swap[0], in.individual[0], in.common);
  }
  dsp.a = sext(s, as_signed(a), dsp48e2.a);
  dsp.b = p.operand_bits > dsp48e2.b ? Word(b.slice(0, dsp48e2.b))
                                     : Word(sext(s, as_signed(b), dsp48e2.b));
  return dsp;
}

// The count of the low lane's overflows after the step that P shows. `old`: the border bits before
// that step.
UInt counted(Scope& s, const SliceIn<Hardware>& in, const UInt& border, const UInt& old,
             const UInt& count) {
  const Net again = in.counted_again.front();
  const Net over = s.net(again & old[0] & old[1] & ~border[0] & ~border[1]);
  const Net under = s.net(~(again & (old[0] | old[1])) & border[0] & border[1]);
  const UInt propagate = lut_o6(
      s, [](bool c, bool a, bool u) { return (c && a) != u; }, SourceLocation::current(), count,
      again, under);
  return carry_chain(s, propagate, repeat(s, under, overflow_bits), over).sum;
}

}  // namespace

std::string SlicePlan::module_name() const {
  return fmt::format("pe_slice_t{}_b{}{}", depth, operand_bits, packed ? "_pair" : "");
}

SlicePlan slice_plan(const ArrayPlan& p) {
  return {.depth = p.depth(),
          .operand_bits = p.operand_bits(),
          .packed = p.pairs(),
          .sum_bits = p.sum_bits(),
          .swapped = p.swapped()};
}

SliceOut<Hardware> build_slice(Scope& s, const SlicePlan& p, const SliceIn<Hardware>& in) {
  s.module().set_about(fmt::format("{} of {} accumulators on one {}",
                                   p.packed ? "two elements" : "an element", p.depth,
                                   ir::arch::of(s.family()).dsp.name));
  Dsp48e2 dsp = multiplier(s, p, in);
  // The memory lies between P, which does not exist yet, and C.
  Wire<UInt> p_now(s, dsp48e2.p);
  const UInt c = p.depth > 1 ? ring(s, p, in, p_now.get()) : UInt();
  const Net z = ir::net_zero, one = ir::net_one;
  // W 0; Z C, P or 0; Y and X the product.
  dsp.opmode_nets = p.depth > 1 ? bits(s, {one, z, one, z, in.again, in.again, z, z, z})
                                : bits(s, {one, z, one, z, z, in.again, z, z, z});
  if (p.depth > 1) dsp.c = c;
  const UInt sum(dsp.add_to(s).p);
  p_now.drive(s.named("p", sum));

  UInt word = sum.slice(0, p.packed ? sum.width() : static_cast<std::uint32_t>(p.sum_bits));
  if (p.packed) {
    const UInt border = sum.slice(low_lane_bits - 2, 2);
    UInt old = p.depth > 1 ? reg(s, c.slice(low_lane_bits - 2, 2), {.enable = in.go}) : border;
    old = reg(s, old, {.enable = in.go});
    Reg<UInt> count(s, overflow_bits, {.enable = in.go});
    const UInt before =
        p.depth == 1 ? count.q() : ring(s, p, in, reg(s, count.q(), {.enable = in.go}));
    const UInt now = counted(s, in, border, old, before);
    count.next(now);
    word = cat(s, {now, sum});
  }
  const UInt sums = Memory{.depth = 1u << in.capture_at.width(),
                           .width = word.width(),
                           .style = ir::memory::distributed,
                           .read = ir::memory::registered,
                           .write_enable = s.net(in.go & in.capture),
                           .write_address = in.capture_at,
                           .write_data = word,
                           .read_address = in.drain_at}
                        .add_to(s);
  return {.sums = sums};
}

}  // namespace kumiki::gen::array
