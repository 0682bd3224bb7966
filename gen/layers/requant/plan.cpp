// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/plan.h"

#include <fmt/format.h>

#include <cmath>

#include "gen/config/messages.h"
#include "gen/layers/common/write.h"
#include "gen/layers/requant/messages.h"
#include "ir/error.h"

namespace kumiki::gen::requant {
namespace {

using arith::Exact;
using arith::Interval;

Interval interval(const Range& range) { return {range[0], range[1]}; }

// The range that both the clamp and the activation allow.
Interval clamp_of(const Request& r) {
  Interval clamp = r.clamp ? interval(*r.clamp) : r.result_format().range();
  if (r.activation != Activation::none) clamp.lo = std::max<Exact>(clamp.lo, r.zero_point);
  if (r.activation == Activation::relu6)
    clamp.hi = std::min<Exact>(clamp.hi, Exact{r.zero_point} + r.six.value_or(0));
  return clamp;
}

// For the plain rule, which has a single scale and shift.
double scale_of_keys(const Request& r) { return std::get<double>(*r.scale); }
int shift_of_keys(const Request& r) { return static_cast<int>(std::get<std::int64_t>(*r.shift)); }

// The field at the shift must end within P; an unsigned field must end below P's sign bit.
arith::Scale scale_of(const Request& r) {
  if (!r.shift)
    return arith::nearest_scale(scale_of_keys(r), packing::kWordBits - r.result_bits -
                                                      (r.result_sign == Sign::is_unsigned ? 1 : 0));
  const double scaled = std::nearbyint(std::ldexp(scale_of_keys(r), shift_of_keys(r)));
  return {static_cast<std::int64_t>(scaled), shift_of_keys(r)};
}

// The largest shift for which the scale has 17 bits.
int best_shift(double scale) { return std::max(0, arith::nearest_scale(scale, 1000).shift); }

RequantRequest slice_request(const Request& r) {
  RequantRequest s;
  s.limits = r.limits;
  s.accumulator = r.accumulator ? interval(*r.accumulator)
                                : arith::signed_range(r.accumulator_bits.value_or(1));
  if (r.bias_bits) s.bias = arith::signed_range(*r.bias_bits);
  if (r.scale) {
    const arith::Scale scale = scale_of(r);
    s.scale = Interval::point(scale.scale);
    s.shift = scale.shift;
  } else {
    s.scale = arith::signed_range(s.limits.narrow_bits);
    s.shift = r.shift ? shift_of_keys(r) : 0;
  }
  s.zero_point =
      r.zero_point_bits ? arith::signed_range(*r.zero_point_bits) : Interval::point(r.zero_point);
  s.rounding = r.rounding;
  s.clamp = clamp_of(r);
  return s;
}

// For all rules: checks the range of the accumulator, the activation and the clamp.
std::optional<config::Violation> ranges_that_disagree(const Request& r) {
  if (r.accumulator_bits.has_value() == r.accumulator.has_value())
    return config::Violation{
        r.accumulator ? code::conflicting_keys : code::missing_key,
        r.accumulator ? "accumulator" : "accumulator_bits",
        r.accumulator ? "is a second range beside accumulator_bits" : "is missing",
        "give either accumulator_bits or accumulator"};
  if (r.accumulator && (*r.accumulator)[0] > (*r.accumulator)[1])
    return config::Violation{code::empty_range, "accumulator", "leaves no value",
                             "must be [lowest, highest]"};
  if ((r.activation == Activation::relu6) != r.six.has_value())
    return config::Violation{r.six ? code::key_without_use : code::missing_key, "six",
                             r.six ? "has no relu6 to serve" : "is missing",
                             "give the integer that stands for 6.0 with relu6, and only there"};
  if (r.clamp && !interval(*r.clamp).within(r.result_format().range()))
    return config::Violation{code::clamp_leaves_result, "clamp", "leaves the result",
                             "must lie within " + to_string(r.result_format().range())};
  if (const Interval kept = clamp_of(r);
      r.activation != Activation::none && r.clamp && kept.lo >= kept.hi)
    return config::Violation{
        code::empty_range, "clamp",
        fmt::format("leaves no two values that the activation keeps, which are those from the zero "
                    "point {} on",
                    r.zero_point),
        "must reach above the zero point"};
  return std::nullopt;
}

// Checks for keys that only named rules have.
std::optional<config::Violation> keys_of_other_rules(const Request& r) {
  const auto needs = [](const char* key) {
    return config::Violation{code::key_without_use, key, "has no effect on rule \"scaled\"",
                             "omit it, or use rule \"onnxruntime\" or \"tflite\""};
  };
  if (r.multiplier) return needs("multipliers");
  if (r.factor_bits) return needs("factor_bits");
  if (r.exact) return needs("exact");
  for (const bool is_list : {r.scale && r.scale->index() == 1, r.shift && r.shift->index() == 1})
    if (is_list)
      return config::Violation{code::key_without_use,
                               r.scale && r.scale->index() == 1 ? "scale" : "shift",
                               "has an entry a channel, of which rule \"scaled\" has one",
                               "give one number, or use another rule"};
  if (r.shift && (shift_of_keys(r) < 0 || shift_of_keys(r) > 46))
    return config::Violation{code::out_of_range, "shift", "is out of range",
                             "must be from 0 to 46"};
  return std::nullopt;
}

std::optional<config::Violation> keys_that_disagree(const Request& r) {
  if (auto other = keys_of_other_rules(r)) return other;
  if (auto ranges = ranges_that_disagree(r)) return ranges;
  if (r.scale && scale_of_keys(r) == 0)
    return config::Violation{code::zero_scale, "scale", "makes everything the zero point",
                             "must not be 0"};
  if (!r.scale && !r.shift)
    return config::Violation{code::missing_key, "shift", "is missing",
                             "with the scale on a port give 0 to 46"};
  if (r.scale && r.shift) {
    const std::int64_t made = scale_of(r).scale;
    if (made == 0 || std::abs(made) > 131071)
      return config::Violation{code::unfit_shift, "shift", fmt::format("makes the scale {}", made),
                               fmt::format("use {}, which leaves 17 bits of {}",
                                           best_shift(scale_of_keys(r)), scale_of_keys(r))};
  }
  if (r.zero_point_bits && r.activation != Activation::none)
    return config::Violation{code::conflicting_keys, "activation",
                             "needs one zero point for all channels",
                             "with zero_point_bits it must be none"};
  if (r.zero_point_bits && r.zero_point != 0)
    return config::Violation{code::conflicting_keys, "zero_point", "comes on a port",
                             "give either zero_point or zero_point_bits"};
  return std::nullopt;
}

// The key that determines a field of the slice's request.
std::string key_of(const std::string& field, const Request& r) {
  if (field == "accumulator") return r.accumulator ? "accumulator" : "accumulator_bits";
  if (field == "bias") return "bias_bits";
  if (field == "clamp") return r.clamp ? "clamp" : "activation";
  if (field == "scale") return r.scale ? "scale" : "shift";
  if (field == "rounding") return "rounding";
  return r.shift ? "shift" : "scale";
}

RequantPlan slice_of(const Request& request) {
  try {
    return plan_requant(slice_request(request));
  } catch (const DesignError& error) {
    const Diagnostic& d = error.diagnostic();
    throw config::Refusal({d.code, key_of(d.key, request), d.wrong, d.required, true});
  }
}

}  // namespace

arith::Interval accumulators_of(const Request& request) {
  if (auto wrong = ranges_that_disagree(request)) throw config::Refusal(*std::move(wrong));
  return request.accumulator ? interval(*request.accumulator)
                             : arith::signed_range(request.accumulator_bits.value_or(1));
}
arith::Interval range_of_results(const Request& request) { return clamp_of(request); }

Plan plan(const Request& request) {
  if (auto wrong = keys_that_disagree(request)) throw config::Refusal(*std::move(wrong));
  Plan p{.request = request, .slice = slice_of(request)};
  if (request.scale) p.scale = scale_of(request);
  p.accumulator_bits = static_cast<std::uint32_t>(arith::signed_bits(p.slice.request.accumulator));
  return p;
}

std::string Plan::module_name() const {
  static constexpr const char* short_names[] = {"down", "up", "even", "away", "zero", "ceiling"};
  return fmt::format("requant{}to{}{}_s{}_{}{}", accumulator_bits,
                     request.result_sign == Sign::is_signed ? "s" : "u", request.result_bits,
                     slice.request.shift, short_names[static_cast<int>(request.rounding)],
                     request.scale ? "" : "_ports");
}

RequantIn<Hardware> input_shape(const Plan& p) {
  const auto port = [](bool there, int width) {
    return there ? std::vector{SInt::shape(static_cast<std::uint32_t>(width))}
                 : std::vector<SInt>{};
  };
  const Request& r = p.request;
  return {.rst = {},
          .en = {},
          .in_valid = {},
          .acc = SInt::shape(p.accumulator_bits),
          .scale = port(!r.scale, p.slice.request.limits.narrow_bits),
          .bias = port(r.bias_bits.has_value(), r.bias_bits.value_or(0)),
          .zero_point = port(r.zero_point_bits.has_value(), r.zero_point_bits.value_or(0)),
          .channel = {}};
}

RequantOut<Hardware> output_shape(const Plan& p) {
  return {.out_valid = {}, .q = UInt::shape(static_cast<std::uint32_t>(p.request.result_bits))};
}

std::string to_text(const Plan& p) {
  std::string text = to_text(p.slice);
  if (p.scale) {
    const double made = std::ldexp(static_cast<double>(p.scale->scale), -p.scale->shift);
    text += fmt::format("scale {} / 2^{}, {:+.2g} relative to {}\n", p.scale->scale, p.scale->shift,
                        made / scale_of_keys(p.request) - 1, scale_of_keys(p.request));
  }
  text += fmt::format("latency {} clocks, one result a clock, 1 slice\n", p.slice.latency);
  return text;
}

void write(config::Writer& w, const Plan& p) {
  const RequantPlan& s = p.slice;
  w.member("shift", s.request.shift);
  w.member("rounding", to_string(s.request.rounding));
  w.member("clamp", to_string(s.request.clamp));
  w.member("opmode", to_string(s.opmode));
  w.member("tie_fix", s.tie_fix != TieFix::None);
  w.member("saturation", s.saturation == Saturation::Pattern ? "pattern detector"
                         : s.saturation == Saturation::Lut   ? "luts"
                                                             : "none needed");
  w.member("slices", 1);
  w.member("latency", s.latency);
  w.member("results_per_cycle", 1);
  w.member("proofs", s.certificate);
  if (p.scale) w.member("scale", p.scale->scale);
}

}  // namespace kumiki::gen::requant
