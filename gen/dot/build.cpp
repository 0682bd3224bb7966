// SPDX-License-Identifier: Apache-2.0
// One column of DSP48E2: slice i multiplies a[i]*2^G + d[i] (made by the pre-adder) with b[i] and
// adds what comes from the slice below. Term i waits i clocks in front, so that it meets the sum on
// its way up.
#include "gen/dot/build.h"

#include <fmt/format.h>

#include "gen/dsl/dsp.h"

namespace kumiki::gen::dot {
namespace {

// a goes to bits G.. of port A, d to port D; both are sign-extended by wires.
Dsp48e2 slice(Scope& s, const DotPlan& p, const SInt& a, const SInt& d, const SInt& b, Net en) {
  Word low = s.constant(0, p.shift);
  SInt high = sext(s, a, 30 - p.shift);
  // B waits in two registers as long as A and D do in those of the pre-adder. Constant controls
  // need no register: with one, the first clock after configuration would see another operation.
  return {.attributes = {.breg = 2,
                         .bcascreg = 2,
                         .alumodereg = 0,
                         .carryinselreg = 0,
                         .inmodereg = 0,
                         .opmodereg = 0,
                         .amultsel = ir::dsp48e2::AMultSel::ad},
          .a = cat(s, {high, low}),
          .b = sext(s, b, 18),
          .d = sext(s, d, 27),
          .inmode = 0b00100,  // the pre-adder takes D; A and B come from their second registers
          .enable = en};
}

}  // namespace

DotOut<Hardware> build(Scope& s, const DotPlan& p, const DotIn<Hardware>& in) {
  s.module().set_about(fmt::format("{} terms, two {}-bit products in every DSP48E2, latency {}",
                                   p.request.terms, p.operand_bits, p.latency));
  Dsp48e2::Out below;
  for (std::uint32_t i = 0; i < p.request.terms; ++i) {
    auto wait = p.operand_delay[i];
    Dsp48e2 dsp = slice(s, p, delay(s, in.a[i], wait, in.en), delay(s, in.d[i], wait, in.en),
                        delay(s, in.b[i], wait, in.en), in.en);
    dsp.opmode = i == 0 ? p.opmode_first : p.opmode_next;
    if (i > 0) dsp.pcin = below.pcout;
    below = dsp.add_to(s);
  }
  s.named("p", below.p);

  // The low lane borrowed from the high one when it is negative: give it back.
  SInt low = SInt(Word(below.p.slice(0, p.shift)));
  SInt high = SInt(Word(below.p.slice(p.shift, p.result_bits)));
  SInt ab = s.named("ab_r", reg(s, increment(s, high, low.msb()), {.enable = in.en}));
  SInt db = s.named("db_r", reg(s, low, {.enable = in.en}));

  Net valid = in.in_valid;
  for (std::uint32_t i = 0; i < p.latency; ++i)
    valid = reg(s, valid, {.enable = in.en, .reset = in.rst});
  return {.out_valid = valid, .ab = ab, .db = db};
}

}  // namespace kumiki::gen::dot
