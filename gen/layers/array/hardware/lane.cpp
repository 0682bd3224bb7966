// SPDX-License-Identifier: Apache-2.0
// Packed: (sum + bias) has 32 bits, the multiplier 16. Two slices multiply the lower 17 bits and
// the upper 15; the second adds what the first leaves above 17 bits.
#include "gen/layers/array/hardware/lane.h"

#include <fmt/format.h>

#include "gen/blocks/requant/wide_product.h"
#include "gen/hdl/dsp.h"
#include "gen/layers/array/hardware/steps.h"

namespace kumiki::gen::array {
namespace {

constexpr int multiply_clocks = 4;
constexpr int end_clocks = 5;  // shift, range, saturation, rounding, saturation

int add_clocks(const LanePlan& p) { return steps_of(static_cast<std::uint32_t>(p.sum_bits)); }

SInt multiplied(Scope& s, const UInt& biased, const UInt& multiplier) {
  using requant::first_slice_bits;
  const SInt upper = as_signed(biased.slice(first_slice_bits, 32 - first_slice_bits));
  const Word b = zext(s, multiplier, dsp48e2.b);
  return as_signed(requant::wide_product(
      s, {.a = zext(s, biased.slice(0, first_slice_bits), dsp48e2.a), .b = b},
      {.attributes = {.areg = 2, .breg = 2}, .a = sext(s, upper, dsp48e2.a), .b = b},
      32 + first_slice_bits, ir::net_one));
}

// Halves the number, rounds it and saturates it to the range of the data; takes four clocks.
UInt rounded(Scope& s, const SInt& shifted, std::uint32_t bits, Net relu) {
  const std::uint32_t near = bits + 2;
  const UInt top = shifted.slice(near - 1, shifted.width() - near + 1);
  const Net ones = reg(s, all_of(s, top)), some = reg(s, any_of(s, top));
  const Net sign = reg(s, shifted.msb());
  const UInt low = reg(s, shifted.slice(0, near - 1));
  const UInt inside = s.word(mux(~(ones ^ some), low, ~sign));
  const SInt narrow = as_signed(reg(s, UInt(cat(s, {gen::bits(s, {sign}), inside}))));
  const UInt more = reg(s, increment(s, as_unsigned(sext(s, narrow, bits + 3))));
  const SInt q = saturate(s, as_signed(more.slice(1, bits + 2)), bits);
  return reg(s, s.word(q & ~(q.msb() & relu)));
}

}  // namespace

int LanePlan::latency() const {
  return add_clocks(*this) + (packed ? multiply_clocks : 0) + end_clocks;
}
std::string LanePlan::module_name() const { return fmt::format("pe_lane_b{}", data_bits); }

LaneOut<Hardware> build_lane(Scope& s, const LanePlan& p, const LaneIn<Hardware>& in) {
  s.module().set_about(fmt::format("a word of the output, {} clocks", p.latency()));
  const auto wide = static_cast<std::uint32_t>(p.sum_bits);
  const UInt biased = add_in_steps(s, in.sum, in.parameter.slice(0, wide));
  const auto clocks = static_cast<std::uint32_t>(p.latency());
  const UInt by = delay(s, in.parameter.slice(shift_place, 6), clocks - end_clocks);
  const Net relu = delay(s, in.relu, clocks - 1);
  const SInt product =
      p.packed ? multiplied(s, biased, later(s, in.parameter.slice(32, 16), add_clocks(p)))
               : as_signed(biased);
  const SInt shifted = reg(s, shift_right(s, product, by));
  return {.q = rounded(s, shifted, static_cast<std::uint32_t>(p.data_bits), relu)};
}

}  // namespace kumiki::gen::array
