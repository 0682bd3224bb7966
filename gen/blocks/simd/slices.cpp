// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/simd/slices.h"

namespace kumiki::gen::simd {
namespace {

ir::dsp48e2::UseSimd attribute(Lanes l) {
  return l == Lanes::four12  ? ir::dsp48e2::UseSimd::four12
         : l == Lanes::two24 ? ir::dsp48e2::UseSimd::two24
                             : ir::dsp48e2::UseSimd::one48;
}

// Lanes [from, from + n) of a slice in its word; missing lanes are 0.
UInt packed(Scope& s, const Words& lanes, std::size_t from, std::uint32_t n, SourceLocation here) {
  std::vector<Word> high_to_low;
  for (std::size_t i = std::min(lanes.size(), from + n); i-- > from;)
    high_to_low.push_back(lanes[i]);
  return zext(s, cat(s, high_to_low, here), dsp48e2.c, here);
}

Dsp48e2 slice(const Options& options, const Operation& operation) {
  return {.attributes = {.areg = 1,
                         .acascreg = 1,
                         .breg = 1,
                         .bcascreg = 1,
                         .creg = 1,
                         .mreg = 0,
                         .alumodereg = 0,
                         .carryinreg = 0,
                         .carryinselreg = 0,
                         .inmodereg = 0,
                         .opmodereg = 0,
                         .use_mult = ir::dsp48e2::UseMult::none,
                         .use_simd = attribute(options.lanes)},
          .opmode = operation.opmode,
          .alumode = operation.alumode,
          .enable = options.enable,
          .cectrl = options.enable};
}

}  // namespace

LaneResults run(Scope& s, const Options& options, const Operation& operation, const Words& ab,
                const Words& c, SourceLocation here) {
  const std::uint32_t n = lanes_in_slice(options.lanes), bits = lane_bits(options.lanes);
  LaneResults out;
  for (std::size_t from = 0; from < ab.size(); from += n) {
    Dsp48e2 dsp = slice(options, operation);
    const UInt x = packed(s, ab, from, n, here);
    dsp.a = x.slice(dsp48e2.b, dsp48e2.a), dsp.b = x.slice(0, dsp48e2.b);
    if (!c.empty()) dsp.c = packed(s, c, from, n, here);
    const Dsp48e2::Out result = dsp.add_to(s, here);
    for (std::uint32_t lane = 0; lane < n && from + lane < ab.size(); ++lane) {
      out.p.push_back(result.p.slice(lane * bits, bits));
      // CARRYOUT has a bit for every 12 of P; the top one of a lane is the lane's.
      out.carries.push_back(result.carryout[(lane + 1) * 4 / n - 1]);
    }
  }
  return out;
}

}  // namespace kumiki::gen::simd
