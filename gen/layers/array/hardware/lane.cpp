// SPDX-License-Identifier: Apache-2.0
// Packed: (sum + bias) has 32 bits, the multiplier 16. The lower 17 bits and the upper 15 are
// multiplied in two slices, the second of which adds what the first leaves above 17 bits.
#include "gen/layers/array/hardware/lane.h"

#include <fmt/format.h>

#include "gen/blocks/requant/wide_product.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::array {
namespace {

SInt multiplied(Scope& s, const UInt& biased, const UInt& multiplier, Net en) {
  using requant::first_slice_bits;
  const SInt upper = as_signed(biased.slice(first_slice_bits, 32 - first_slice_bits));
  return as_signed(requant::wide_product(
      s, {.a = zext(s, biased.slice(0, first_slice_bits), 30), .b = zext(s, multiplier, 18)},
      {.a = sext(s, upper, 30), .b = zext(s, multiplier, 18)}, 32 + first_slice_bits, en));
}

// Halves the number, rounds it and saturates it to the range of the data.
UInt rounded(Scope& s, const SInt& shifted, std::uint32_t bits, Net relu, Net en) {
  const SInt narrow =
      as_signed(reg(s, as_unsigned(saturate(s, shifted, bits + 2)), {.enable = en}));
  const UInt more = increment(s, as_unsigned(sext(s, narrow, bits + 3)));
  const SInt q = saturate(s, as_signed(more.slice(1, bits + 2)), bits);
  return reg(s, s.word(q & ~(q.msb() & relu)), {.enable = en});
}

}  // namespace

std::string LanePlan::module_name() const { return fmt::format("pe_lane_b{}", data_bits); }

LaneOut<Hardware> build_lane(Scope& s, const LanePlan& p, const LaneIn<Hardware>& in) {
  s.module().set_about(fmt::format("a word of the output, {} clocks", p.latency()));
  const auto wide = static_cast<std::uint32_t>(p.sum_bits);
  const UInt biased = reg(s, add(s, in.sum, in.parameter.slice(0, wide)), {.enable = in.en});
  const UInt shift = in.parameter.slice(48, 6);
  const auto after = static_cast<std::uint32_t>(p.latency());
  const UInt by = delay(s, shift, after - 2, in.en);
  const Net relu = delay(s, in.relu, after - 1, in.en);
  const SInt product =
      p.packed ? multiplied(s, biased, reg(s, in.parameter.slice(32, 16), {.enable = in.en}), in.en)
               : as_signed(biased);
  return {.q = rounded(s, shift_right(s, product, by), static_cast<std::uint32_t>(p.data_bits),
                       relu, in.en)};
}

}  // namespace kumiki::gen::array
