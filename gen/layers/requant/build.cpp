// SPDX-License-Identifier: Apache-2.0
// One slice multiplies, rounds, adds the zero point and checks whether the result fits. If it
// does not, a LUT for each bit (two bits may share one) inserts the end of the clamp.
#include "gen/layers/requant/build.h"

#include <fmt/format.h>

#include "gen/blocks/requant/select.h"
#include "gen/hdl/dsp.h"

namespace kumiki::gen::requant {
namespace {

// The first word of a port that may be absent, or the constant.
SInt given(Scope& s, const std::vector<SInt>& port, std::int64_t constant, std::uint32_t width) {
  return port.empty() ? s.signed_constant(constant, width) : sext(s, port.front(), width);
}

// The sign of a product; for a product of 0 it is irrelevant.
Net negative(Scope& s, const Plan& p, const RequantIn<Hardware>& in) {
  Net sign = in.acc.msb();
  if (p.slice.bias_on_d) {
    const std::uint32_t width = std::max(in.acc.width(), in.bias.front().width()) + 1;
    sign = add(s, sext(s, in.acc, width), sext(s, in.bias.front(), width)).msb();
  }
  if (!p.scale) return s.net(sign ^ in.scale.front().msb());
  return p.scale->scale < 0 ? s.net(~sign) : sign;
}

// Values on ports belong to the accumulator of the same clock; the zero point is delayed to match
// its product.
Dsp48e2 slice(Scope& s, const Plan& p, const RequantIn<Hardware>& in, Net en) {
  Dsp48e2 dsp{.attributes = {.alumodereg = 0, .carryinselreg = 0, .inmodereg = 0, .opmodereg = 0},
              .a = sext(s, in.acc, dsp48e2.a),
              .b = given(s, in.scale, p.scale ? p.scale->scale : 0, dsp48e2.b),
              .opmode = p.slice.opmode.bits,
              .inmode = static_cast<std::uint8_t>(p.slice.inmode),
              .carryinsel = static_cast<std::uint8_t>(p.slice.carryinsel),
              .enable = en};
  if (p.slice.bias_on_d) dsp.d = sext(s, in.bias.front(), dsp48e2.d);
  const auto shift = static_cast<std::uint32_t>(p.slice.request.shift);
  const auto wait = static_cast<std::uint32_t>(p.slice.slice_latency - 2);
  if (p.slice.uses_c) {
    // The constant has no bits where the signs or the zero point are.
    const auto constant =
        p.slice.rnd_on_c ? static_cast<std::int64_t>(p.slice.rnd) : std::int64_t{0};
    UInt below = s.constant(arith::raw_of(constant, shift), shift);
    if (p.slice.sign_on_c) {
      const Net one = delay(s, negative(s, p, in), wait, en);
      below = bits(s, std::vector<Net>(shift, one));
    }
    const SInt above = p.slice.zero_point_on_c
                           ? sext(s, delay(s, in.zero_point.front(), wait, en), dsp48e2.c - shift)
                           : s.signed_constant(constant >> shift, dsp48e2.c - shift);
    dsp.c = cat(s, {above, below});
  }
  for (const auto& [name, value] : p.slice.attributes)
    ir::set_parameter(dsp.attributes, name, value);
  return dsp;
}

UInt extended(Scope& s, const UInt& field, bool is_signed, int width) {
  const auto bits = static_cast<std::uint32_t>(width);
  return is_signed ? UInt(sext(s, SInt(field), bits)) : zext(s, field, bits);
}

// The valid bit of the result, and the enable of the last register: it loads valid results only, so
// q does not change between them.
struct Valid {
  Net out, take;
};
Valid delayed_valid(Scope& s, const RequantIn<Hardware>& in, int latency) {
  Net valid = in.in_valid;
  for (int i = 0; i + 1 < latency; ++i) valid = reg(s, valid, {.enable = in.en, .reset = in.rst});
  const Net take = s.net(in.en & valid);
  return {.out = reg(s, valid, {.enable = in.en, .reset = in.rst}), .take = take};
}

}  // namespace

RequantOut<Hardware> build(Scope& s, const Plan& p, const RequantIn<Hardware>& in) {
  const RequantPlan& r = p.slice;
  s.module().set_about(fmt::format("requantise to {} bits in one {}, shift {}, {}, latency {}",
                                   p.request.result_bits, ir::arch::of(s.family()).dsp.name,
                                   r.request.shift, to_string(r.request.rounding), r.latency));
  const auto [valid, take] = delayed_valid(s, in, r.latency);
  Dsp48e2 dsp = slice(s, p, in, in.en);
  if (!r.gates()) dsp.cep = take;
  const Dsp48e2::Out out = dsp.add_to(s);
  s.named("p", out.p);
  UInt q = select_result(s, r, {out.p, out.patterndetect, out.patternbdetect}, in.en);
  if (r.gates()) q = s.named("q_r", reg(s, q, {.enable = take}));
  return {.out_valid = valid, .q = extended(s, q, r.field_signed, p.request.result_bits)};
}

RequantOut<Hardware> build(Scope& s, const ChannelPlan& p, const RequantIn<Hardware>& in) {
  s.module().set_about(fmt::format("requantise {} channels to {} bits as {}, latency {}",
                                   p.channels(), p.request.result.bits, rule_name(p), p.latency));
  const auto [valid, take] = delayed_valid(s, in, p.latency);
  const UInt q = unregistered(s, p, {.en = in.en, .acc = in.acc, .channel = in.channel});
  return {.out_valid = valid, .q = s.named("q_r", reg(s, q, {.enable = take}))};
}

}  // namespace kumiki::gen::requant
