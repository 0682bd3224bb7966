// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/softmax/parts.h"

#include "gen/hdl/dsp.h"

namespace kumiki::gen {

UInt divided(Scope& s, Net takes, const UInt& sum, const UInt& first, std::uint32_t width) {
  const Net loads = reg(s, takes);
  Wire<Net> subtracts(s);
  // P: twice P, or A:B, and less C, or plus C.
  const Net keeps = s.net(~takes);
  const Dsp48e2 cell{
      .attributes = {.mreg = 0,
                     .alumodereg = 0,
                     .carryinreg = 0,
                     .use_mult = ir::dsp48e2::UseMult::none},
      .a = first.slice(dsp48e2.b, dsp48e2.a),
      .b = first.slice(0, dsp48e2.b),
      .c = zext(s, sum, dsp48e2.c),
      .carryin = subtracts,
      .opmode_nets = bits(s, {takes, ir::net_one, ir::net_zero, ir::net_zero, ir::net_one,
                              ir::net_one, ir::net_zero, keeps, ir::net_zero}),
      .alumode_nets = bits(s, {Net(subtracts), ir::net_zero, ir::net_zero, ir::net_zero}),
      .cec = takes};
  const auto out = cell.add_to(s);
  const Net is_negative = out.p.msb();
  subtracts.drive(s.net(loads | ~is_negative));
  Reg<UInt> quotient(s, width);
  std::vector<Net> shifted{s.net(~is_negative)};
  for (std::uint32_t bit = 0; bit + 1 < width; ++bit) shifted.push_back(quotient.q()[bit]);
  quotient.next(bits(s, shifted));
  return quotient.q();
}

}  // namespace kumiki::gen
