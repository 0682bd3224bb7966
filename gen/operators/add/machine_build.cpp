// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/select.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/table.h"
#include "gen/operators/add/machine.h"

namespace kumiki::gen::pipeline {
namespace {

std::uint64_t ones_below(int count) { return (std::uint64_t{1} << count) - 1; }

// One lane: its numbers, their enables, and the enable of the stages.
struct AddLane {
  UInt a, b;
  Net takes_a, takes_b, moves;
};

// A number times a power of two, at the width of a port.
UInt at_port(Scope& s, const UInt& raw, const arith::Format& format, int shift,
             std::uint32_t width) {
  const std::uint32_t place = width - static_cast<std::uint32_t>(shift);
  const UInt wide =
      format.is_signed ? UInt(Word(sext(s, SInt(Word(raw)), place))) : zext(s, raw, place);
  return shift == 0 ? wide : cat(s, {wide, s.constant(0, static_cast<std::uint32_t>(shift))});
}

// The constant factor stays on A; the number is on B.
Dsp48e2 constant_product(Scope& s, std::int64_t factor, Net moves) {
  return {.attributes = {.areg = 0, .acascreg = 0},
          .a = s.signed_constant(factor, dsp48e2.a),
          .enable = moves};
}

// What the pattern detector of the last slice tests: the bits of a tie, or the bits above the
// result.
void set_detector(const AddPlan& p, Dsp48e2& slice) {
  if (p.rule.tie_bits)
    slice.attributes.mask =
        ir::dsp48e2::word_mask & ~(ones_below(p.rule.shift) & ~ones_below(*p.rule.tie_bits));
  else if (p.clamps_by_pattern())
    slice.attributes.mask = ones_below(p.rule.shift + p.format.bits - (p.format.is_signed ? 1 : 0));
  else
    return;
  slice.attributes.use_pattern_detect = ir::dsp48e2::UsePatternDetect::patdet;
  slice.attributes.pattern = 0;
}

// OPMODE: W is RND or 0, Z is PCIN or 0, X and Y are the product.
constexpr std::uint16_t product = 0b00'000'01'01, product_and_constant = 0b10'000'01'01,
                        product_and_below = 0b00'001'01'01;
constexpr std::uint16_t z_is_c = 0b00'011'00'00;

// The offset where W adds none, and for a pair in `moved` half a number, up or down.
UInt moved_by(Scope& s, const AddPlan& p, const AddLane& lane) {
  const UInt both =
      cat(s, {reg(s, lane.a, {.enable = lane.takes_a}), reg(s, lane.b, {.enable = lane.takes_b})});
  std::vector<Net> any, down;
  for (const AddRule::Moved& m : p.rule.moved) {
    const std::uint64_t pair =
        arith::raw_of(m.a, p.a.format) << p.b.format.bits | arith::raw_of(m.b, p.b.format);
    any.push_back(equals(s, both, pair));
    if (!m.up) down.push_back(any.back());
  }
  const std::int64_t offset = ir::arch::of(s.family()).dsp.w ? 0 : p.rule.offset;
  const Net below = any_of(s, down);
  const Net moves = any_of(s, any);
  const auto bit = [&](std::int64_t added, int i) { return ((offset + added) >> i & 1) != 0; };
  std::vector<Net> all;
  for (int i = 0; i < dsp48e2.c; ++i) {
    const bool still = bit(0, i), up = bit(p.rule.half(), i), falls = bit(-p.rule.half(), i);
    if (still == up && still == falls)
      all.push_back(ir::constant(still));
    else if (!still && up && falls)
      all.push_back(moves);
    else if (!still && !up)
      all.push_back(below);
    else
      all.push_back(s.net(mux(Bit(moves), mux(Bit(below), ir::constant(falls), ir::constant(up)),
                              ir::constant(still))));
  }
  return bits(s, all);
}

Dsp48e2::Out sum_in_slices(Scope& s, const AddPlan& p, const AddLane& lane) {
  const std::uint64_t offset = arith::raw_of(p.rule.offset, dsp48e2.p);
  if (p.form == AddForm::one_slice) {
    // (D + B) * A, or (D + A) * B; one of the two numbers is shifted.
    const AddRule::Single single = p.rule.single().value();
    Dsp48e2 slice;
    if (p.adds_on_a) {
      slice.attributes = {.breg = 0, .bcascreg = 0, .amultsel = ir::dsp48e2::AMultSel::ad};
      slice.enable = lane.moves;
      slice.b = s.signed_constant(single.factor, dsp48e2.b);
      slice.a = at_port(s, lane.b, p.b.format, single.shift_b, dsp48e2.a);
      slice.cea2 = lane.takes_b;
    } else {
      slice = constant_product(s, single.factor, lane.moves);
      slice.attributes.bmultsel = ir::dsp48e2::BMultSel::ad;
      slice.attributes.preaddinsel = ir::dsp48e2::PreAddInSel::b;
      slice.b = at_port(s, lane.b, p.b.format, single.shift_b, dsp48e2.b);
      slice.ceb2 = lane.takes_b;
    }
    slice.attributes.rnd = offset;
    slice.d = at_port(s, lane.a, p.a.format, single.shift_a, dsp48e2.d);
    slice.opmode = product_and_constant;
    slice.inmode = 0b00100;
    slice.ced = lane.takes_a;
    set_detector(p, slice);
    return slice.add_to(s);
  }
  Dsp48e2 first = constant_product(s, p.rule.factor_a, lane.moves);
  first.b = at_port(s, lane.a, p.a.format, 0, dsp48e2.b);
  first.ceb2 = lane.takes_a;
  if (!p.rule.moved.empty()) {
    first.c = moved_by(s, p, lane);
    first.opmode = z_is_c;
  }
  if (p.rule.moved.empty() || ir::arch::of(s.family()).dsp.w) {
    first.attributes.rnd = offset;
    first.opmode |= product_and_constant;
  } else {
    first.opmode |= product;
  }
  Dsp48e2 second = constant_product(s, p.rule.factor_b, lane.moves);
  second.attributes.breg = 2;
  second.b = at_port(s, lane.b, p.b.format, 0, dsp48e2.b);
  second.opmode = product_and_below;
  second.ceb1 = lane.takes_b;
  second.pcin = first.add_to(s).pcout;
  set_detector(p, second);
  return second.add_to(s);
}

// Groups the bits by their values in the two ends of the clamp, so that two bits of a group share a
// LUT.
template <class F>
UInt with_ends(Scope& s, const AddPlan& p, const UInt& field, const F& chosen) {
  const std::uint64_t low = arith::raw_of(p.rule.lowest, p.format);
  const std::uint64_t high = arith::raw_of(p.rule.highest, p.format);
  std::vector<Net> out(field.width());
  for (const bool of_low : {false, true})
    for (const bool of_high : {false, true}) {
      std::vector<std::uint32_t> places;
      std::vector<Net> nets;
      for (std::uint32_t i = 0; i < field.width(); ++i)
        if ((low >> i & 1) == of_low && (high >> i & 1) == of_high) {
          places.push_back(i);
          nets.push_back(field[i]);
        }
      if (places.empty()) continue;
      const UInt word = chosen(bits(s, nets), of_low, of_high);
      for (std::size_t i = 0; i < places.size(); ++i)
        out[places[i]] = word[static_cast<std::uint32_t>(i)];
    }
  return bits(s, out);
}

UInt clamped_sum(Scope& s, const AddPlan& p, const Dsp48e2::Out& sum, Net moves) {
  const auto shift = static_cast<std::uint32_t>(p.rule.shift);
  const auto width = static_cast<std::uint32_t>(p.format.bits);
  if (p.clamps_by_pattern()) {
    // An unsigned result fits only if all bits above it are zeros.
    return with_ends(s, p, sum.p.slice(shift, width),
                     [&](const UInt& field, bool of_low, bool of_high) {
                       if (!p.format.is_signed)
                         return lut(
                             s,
                             [=](bool zeros, bool negative, bool q) {
                               return zeros ? q : negative ? of_low : of_high;
                             },
                             sum.patterndetect, sum.p.msb(), field);
                       return lut(
                           s,
                           [=](bool zeros, bool ones, bool negative, bool q) {
                             return zeros || ones ? q : negative ? of_low : of_high;
                           },
                           sum.patterndetect, sum.patternbdetect, sum.p.msb(), field);
                     });
  }
  const auto digits =
      p.clamps() ? static_cast<std::uint32_t>(arith::signed_bits(p.unclamped())) : width;
  UInt q = sum.p.slice(shift, digits);
  if (p.rule.tie_bits) {
    const Net low = s.net(q[0] & ~sum.patterndetect);
    q = digits == 1 ? bits(s, {low}) : cat(s, {q.slice(1, digits - 1), bits(s, {low})});
  }
  if (!p.clamps()) return q;
  const RegOptions stage{.enable = moves};
  if (p.rule.tie_bits) q = reg(s, q, stage);
  const auto waits = [&](Net n) { return n.is_constant() ? n : reg(s, n, stage); };
  const Net below = waits(requant::below_constant(s, q, p.rule.lowest, true));
  const Net within = waits(requant::below_constant(s, q, p.rule.highest + 1, true));
  q = reg(s, digits < width ? UInt(Word(sext(s, SInt(Word(q)), width))) : q.slice(0, width), stage);
  return with_ends(s, p, q, [&](const UInt& field, bool of_low, bool of_high) {
    return lut(
        s,
        [=](bool is_below, bool is_within, bool bit) {
          return is_below ? of_low : is_within ? bit : of_high;
        },
        below, within, field);
  });
}

UInt sum_from_table(Scope& s, const AddPlan& p, const AddLane& lane) {
  const UInt a = reg(s, lane.a, {.enable = lane.takes_a}),
             b = reg(s, lane.b, {.enable = lane.takes_b});
  const auto width = static_cast<std::uint32_t>(p.format.bits);
  std::vector<std::uint64_t> contents;
  for (std::uint64_t raw_a = 0; raw_a <= ones_below(p.a.format.bits); ++raw_a)
    for (std::uint64_t raw_b = 0; raw_b <= ones_below(p.b.format.bits); ++raw_b)
      contents.push_back(arith::raw_of(p.results[p.index_of(raw_a, raw_b)], p.format));
  const UInt index = cat(s, {a, b});
  const RegOptions stage{.enable = lane.moves};
  if (p.form == AddForm::luts) return reg(s, table_in_luts(s, index, contents, width), stage);
  return reg(s,
             Memory{.depth = static_cast<std::uint32_t>(contents.size()),
                    .width = width,
                    .contents = contents,
                    .read_enable = lane.moves,
                    .read_address = index}
                 .add_to(s),
             stage);
}

}  // namespace

MachineOut<Hardware> build(Scope& s, const AddPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Stages stages(s, in, p.a.lanes, p.schedule());
  std::vector<UInt> sums;
  for (std::int64_t i = 0; i < p.a.lanes; ++i) {
    const AddLane lane{.a = in.in_data[static_cast<std::size_t>(i)],
                       .b = in.in_data[static_cast<std::size_t>(p.a.lanes + i)],
                       .takes_a = stages.takes(i, 0),
                       .takes_b = stages.takes(i, 1),
                       .moves = stages.moves(i)};
    sums.push_back(p.in_slices() ? clamped_sum(s, p, sum_in_slices(s, p, lane), lane.moves)
                                 : sum_from_table(s, p, lane));
  }
  return stages.leave(sums);
}

}  // namespace kumiki::gen::pipeline
