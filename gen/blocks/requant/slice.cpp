// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/slice.h"

#include <fmt/format.h>

#include <cmath>

#include "gen/arith/format.h"
#include "gen/blocks/packing/messages.h"
#include "gen/blocks/requant/messages.h"
#include "gen/blocks/requant/select.h"
#include "gen/blocks/requant/steps.h"
#include "gen/hdl/messages.h"
#include "ir/error.h"

namespace kumiki::gen::requant {
namespace {

using arith::to_string;
using packing::kWordBits;
using packing::to_string;
using namespace arith;

// `key`: the faulty field of the request.
[[noreturn]] void refuse(Code code, const std::string& key, const std::string& wrong,
                         const std::string& required) {
  throw DesignError({.code = code, .key = key, .wrong = wrong, .required = required});
}

void check_request(const RequantRequest& r) {
  if (r.shift < 0 || r.shift > 46)
    refuse(code::out_of_range, "shift", fmt::format("shift {}", r.shift),
           "the shift must be from 0 to 46");
  if (r.clamp.lo >= r.clamp.hi)
    refuse(code::too_few, "clamp", "clamp " + to_string(r.clamp),
           "the clamp must leave at least two values");
  const bool one_parity = r.zero_point.lo == r.zero_point.hi;
  if (r.rounding == Rounding::half_even && !one_parity)
    refuse(code::rounding_not_possible, "rounding",
           "half to even with zero points " + to_string(r.zero_point),
           "half to even needs one zero point for all channels");
}

// Whether some factor times a fixed scale is halfway between two multiples of 2^shift, that is, an
// odd multiple of 2^(shift - 1). The factor must supply the trailing zeros that the scale lacks.
bool ties_possible(const RequantRequest& r) {
  if (r.scale.lo != r.scale.hi) return true;
  if (r.scale.lo == 0) return false;
  int zeros = 0;
  while ((r.scale.lo >> zeros & 1) == 0) ++zeros;
  if (zeros >= r.shift) return false;
  const Interval factor = r.accumulator + r.bias;
  const Exact step = power_of_two(r.shift - 1 - zeros);
  const Exact first = -floor_div(-factor.lo, step), last = floor_div(factor.hi, step);
  return first < last || (first == last && (first & 1) != 0);
}

// Rounding by a constant, a carry-in and a corrected last bit.
void plan_rounding(RequantPlan& plan) {
  const RequantRequest& r = plan.request;
  if (r.shift == 0) return;
  const Exact half = power_of_two(r.shift - 1);
  switch (r.rounding) {
    case Rounding::down:  // the bits below the shift are cut off
      break;
    case Rounding::half_up:
      plan.rnd = half;
      break;
    case Rounding::up:
      plan.rnd = power_of_two(r.shift) - 1;
      break;
    case Rounding::to_zero:  // down, but up below zero: the constant comes with the sign
      plan.sign_on_c = true;
      break;
    case Rounding::half_away:
      // One less, and the carry-in of CARRYINSEL 110, the XNOR of the signs of both factors. It is
      // 1 for a product that is not negative (or for a 0, which is rounded down all the same).
      plan.rnd = half - 1;
      plan.carryinsel = 0b110;
      break;
    case Rounding::half_even: {
      // A tie that is rounded up leaves zeros below the field; clearing the last bit makes it even.
      // An odd zero point inverts the parity. Then ties are rounded down and leave ones, and the
      // last bit is set.
      const bool odd = (r.zero_point.lo & 1) != 0;
      plan.rnd = odd ? half - 1 : half;
      if (!ties_possible(r)) break;  // leave the detector to the saturation
      plan.tie_fix = odd ? TieFix::SetLsb : TieFix::ClearLsb;
      const auto below = static_cast<std::uint64_t>(power_of_two(r.shift) - 1);
      plan.pattern = odd ? below : 0;
      plan.mask = (static_cast<std::uint64_t>(power_of_two(kWordBits)) - 1) & ~below;
      plan.uses_pattern = true;
      break;
    }
  }
}

// Assigns bias and zero point to ports; returns the range of C.
Interval plan_constants(RequantPlan& plan) {
  const RequantRequest& r = plan.request;
  Interval c;
  plan.bias_on_d = r.bias != Interval{};
  if (r.zero_point.lo == r.zero_point.hi) {
    plan.rnd += mul(r.zero_point.lo, power_of_two(r.shift));
  } else {
    plan.zero_point_on_c = true;
    c = shifted(r.zero_point, r.shift);
  }
  plan.rnd_on_c = plan.rnd != 0 && !r.limits.w_multiplexer;
  plan.uses_c = plan.zero_point_on_c || plan.sign_on_c || plan.rnd_on_c;
  return c;
}

// LUTs with six inputs for this many bits.
int lut_tree(int bits) { return bits <= 1 ? 0 : (bits - 2) / 5 + 1; }

void plan_saturation(RequantPlan& plan, const Interval& q) {
  const Interval& clamp = plan.request.clamp;
  plan.field_lsb = plan.request.shift;
  plan.field_signed = clamp.lo < 0;
  // At least two bits if there is a sign, because a tie changes the last one.
  plan.field_bits = plan.field_signed ? std::max(2, signed_bits(clamp))
                                      : std::max(1, bits_for_count(clamp.hi + 1));
  const Interval field = Format{plan.field_bits, plan.field_signed}.range();
  plan.compare_low = clamp.lo > field.lo && q.lo < clamp.lo;
  plan.compare_high = clamp.hi < field.hi && q.hi > clamp.hi;
  if (q.within(field)) return;
  // Bits from `from` up to the sign must all be equal (signed) or zero (unsigned).
  const int from = plan.field_lsb + plan.field_bits - (plan.field_signed ? 1 : 0);
  // An unsigned field may have negative values below it; the first bit above it is their sign.
  plan.above_bits = std::max(1, plan.field_lsb + signed_bits(q) - from);
  // In the fabric, ties take one tree over the bits below. Saturation takes one over the bits
  // above, or two if these may also be all ones.
  const int trees = plan.field_signed ? 2 : 1;
  if (plan.uses_pattern && lut_tree(plan.request.shift) >= trees * lut_tree(plan.above_bits)) {
    plan.saturation = Saturation::Lut;
    return;
  }
  plan.ties_in_luts = plan.uses_pattern;
  plan.saturation = Saturation::Pattern;
  plan.pattern = 0;
  plan.mask = static_cast<std::uint64_t>(power_of_two(from) - 1);
  plan.uses_pattern = true;
}

RequantPlan::Gates steps_of(const RequantPlan& plan) {
  const bool compares = plan.compare_low || plan.compare_high;
  const int trees = std::max(plan.ties_in_luts ? tree_levels(plan.request.shift) : 0,
                             plan.saturation == Saturation::Lut ? tree_levels(plan.above_bits) : 0);
  const auto clocks = clocks_of_steps({trees, plan.tie_fix == TieFix::None ? 0 : 1,
                                       compares ? levels_below_constant(plan.field_bits) : 0,
                                       compares || plan.saturation != Saturation::None ? 2 : 0});
  return {clocks[0], clocks[1], clocks[2], clocks[3]};
}

std::uint64_t word(Exact value) {
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << kWordBits) - 1);
}

void fill_attributes(RequantPlan& plan) {
  const auto set = [&](const char* name, std::string value) {
    plan.attributes.emplace_back(name, value);
  };
  if (plan.bias_on_d) {
    set("AMULTSEL", "AD");
    set("BREG", "2");
    set("BCASCREG", "2");
  }
  if (plan.rnd != 0 && !plan.rnd_on_c) set("RND", fmt::format("48'h{:012X}", word(plan.rnd)));
  if (!plan.uses_pattern) return;
  set("USE_PATTERN_DETECT", "PATDET");
  set("PATTERN", fmt::format("48'h{:012X}", plan.pattern));
  set("MASK", fmt::format("48'h{:012X}", plan.mask));
}

}  // namespace

RequantPlan plan_requant(const RequantRequest& request) {
  check_request(request);
  RequantPlan plan{.request = request};
  Certificate& proof = plan.certificate;
  const Limits& limits = request.limits;
  proof.within(fmt::format("accumulator on the {}-bit side", limits.wide_bits), request.accumulator,
               signed_range(limits.wide_bits),
               "use an accumulator of fewer terms, or split it in two", "accumulator");
  proof.within(fmt::format("scale on the {}-bit side", limits.narrow_bits), request.scale,
               signed_range(limits.narrow_bits),
               fmt::format("the scale must fit {} bits", scale_bits), "scale");
  plan_rounding(plan);
  const Interval c = plan_constants(plan);
  const Interval factor = plan.bias_on_d ? request.accumulator + request.bias : request.accumulator;
  if (plan.bias_on_d)
    proof.within(fmt::format("accumulator and bias on the {}-bit side", limits.wide_bits), factor,
                 signed_range(limits.wide_bits), "use a smaller bias", "bias");
  const Interval carry{0, plan.carryinsel != 0 ? 1 : 0};
  const Interval up{0, plan.sign_on_c ? power_of_two(request.shift) - 1 : Exact{0}};
  const Interval p = factor * request.scale + c + up + plan.rnd + carry;
  proof.within("P: product, bias, zero point and rounding", p, signed_range(kWordBits),
               "use a smaller scale", "scale");
  const Exact unit = power_of_two(request.shift);
  const Interval q{floor_div(p.lo, unit), floor_div(p.hi, unit)};
  plan_saturation(plan, q);
  // If values may fall below an unsigned field, P's sign bit must be above the field.
  const bool under_sign = !plan.field_signed && plan.saturation != Saturation::None;
  proof.at_most("top bit of the result's field", plan.field_lsb + plan.field_bits - 1,
                kWordBits - (under_sign ? 2 : 1), "use a smaller shift", "shift");
  if (plan.saturation == Saturation::None)
    proof.within("rounded value, no saturation needed", q,
                 Format{plan.field_bits, plan.field_signed}.range());
  if (const Statement* broken = proof.first_broken())
    refuse(code::not_proved, broken->key, to_string(*broken), broken->otherwise);

  const auto w = plan.rnd != 0 && !plan.rnd_on_c ? Opmode::WRnd : Opmode::W0;
  plan.opmode = Opmode::of(w, plan.uses_c ? Opmode::ZC : Opmode::Z0, Opmode::M);
  plan.inmode = plan.bias_on_d ? 0b00100 : 0;
  plan.slice_latency = plan.bias_on_d ? 4 : 3;
  plan.steps = steps_of(plan);
  plan.latency = plan.slice_latency + (plan.gates() ? plan.steps.clocks() : 0);
  fill_attributes(plan);
  return plan;
}

std::int64_t requantise(const RequantRequest& r, const RequantValues& v) {
  const Exact value = (Exact{v.accumulator} + v.bias) * v.scale;
  const Exact q = rounded(value, r.shift, r.rounding) + v.zero_point;
  return static_cast<std::int64_t>(std::clamp(q, r.clamp.lo, r.clamp.hi));
}

std::string to_text(const RequantPlan& plan) {
  const RequantRequest& r = plan.request;
  std::string text =
      fmt::format("requantise {}, shift {}, {}, clamp {}\n", to_string(r.accumulator), r.shift,
                  to_string(r.rounding), to_string(r.clamp));
  text += fmt::format("  OPMODE {}, INMODE {:05b}, CARRYINSEL {:03b}", to_string(plan.opmode),
                      plan.inmode, plan.carryinsel);
  for (const auto& [name, value] : plan.attributes) text += fmt::format(", {} {}", name, value);
  if (plan.rnd_on_c) text += fmt::format(", C 48'h{:012X}", word(plan.rnd));
  text += fmt::format("\n  q = P[{}:{}] {}", plan.field_lsb + plan.field_bits - 1, plan.field_lsb,
                      plan.field_signed ? "signed" : "unsigned");
  if (plan.tie_fix != TieFix::None)
    text += fmt::format(", ties {} bit 0 by {}", plan.tie_fix == TieFix::ClearLsb ? "clear" : "set",
                        plan.ties_in_luts ? "LUTs" : "the pattern detector");
  if (plan.saturation == Saturation::Pattern) text += ", saturated by the pattern detector";
  if (plan.saturation == Saturation::Lut)
    text += fmt::format(", saturated by {} bits above", plan.above_bits);
  if (plan.compare_low || plan.compare_high) text += ", compared with the clamp";
  text += fmt::format(", latency {}\ncertificate\n", plan.latency);
  for (const auto& statement : plan.certificate.statements())
    text += "  " + to_string(statement) + "\n";
  return text;
}

}  // namespace kumiki::gen::requant
