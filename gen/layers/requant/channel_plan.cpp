// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/channel_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/arith/float_factor.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/blocks/requant/select.h"
#include "gen/blocks/requant/steps.h"
#include "gen/layers/common/write.h"
#include "ir/error.h"

namespace kumiki::gen::requant {
namespace {

using arith::Exact;
using arith::Interval;
using arith::SlicedRule;

constexpr int narrow_bits = ir::arch::dsp48e2.multiplier_b;
constexpr int factor_limit = ir::arch::dsp48e2.factor_bits();  // in one part
constexpr int long_factor = 31;                                // a multiplier of TFLite
constexpr int word_bits = ir::arch::dsp48e2.p;
constexpr int parts_bits = 62;  // of sums in parts, which fit C++ integers
constexpr std::size_t most_channels = 4096, shown = 8;

[[noreturn]] void refuse_key(Code code, const std::string& key, const std::string& wrong,
                             const std::string& required) {
  throw config::Refusal({code, key, wrong, required});
}

template <class T>
std::vector<T> as_list(const std::optional<std::variant<T, std::vector<T>>>& given) {
  if (!given) return {};
  if (const auto* one = std::get_if<T>(&*given)) return {*one};
  return std::get<std::vector<T>>(*given);
}

// Refuses keys of the plain rule, which have no effect here.
void require_keys(const Request& r) {
  const auto unused = [&](bool given, const char* key) {
    if (given)
      refuse_key(Code::key_without_use, key, "has no effect on a named rule",
                 "omit it: only rule \"scaled\" has it");
  };
  unused(r.bias_bits.has_value(), "bias_bits");
  unused(r.zero_point_bits.has_value(), "zero_point_bits");
  unused(r.rounding != Rounding::half_even, "rounding");
  if (r.rule == Rule::onnxruntime) {
    unused(r.multiplier.has_value(), "multipliers");
    unused(r.shift.has_value(), "shift");
    if (!r.scale)
      refuse_key(Code::missing_key, "scale", "is missing", "give a scale, or one a channel");
  } else {
    unused(r.scale.has_value(), "scale");
    if (!r.multiplier)
      refuse_key(Code::missing_key, "multipliers", "is missing",
                 "give 2^30 to 2^31 - 1, or one a channel");
    if (!r.shift)
      refuse_key(Code::missing_key, "shift", "is missing", "give -31 to 31, or one a channel");
  }
}

std::vector<ChannelRule> rules_of(const Request& r, const Interval& range,
                                  const Interval& reachable) {
  std::vector<ChannelRule> all;
  const auto add = [&](const char* key, const auto& rule) {
    try {
      if constexpr (requires { rule.multiplier; })
        require_legal(rule, reachable);
      else
        require_legal(rule);
    } catch (const DesignError& error) {
      const Diagnostic& d = error.diagnostic();
      refuse_key(d.code, range.contains(r.zero_point) ? key : "zero_point", "makes " + d.wrong,
                 d.required);
    }
    all.emplace_back(rule);
  };
  if (r.rule == Rule::onnxruntime) {
    for (const double scale : as_list(r.scale))
      add("scale",
          arith::FloatRule{
              .scale = static_cast<float>(scale), .zero_point = r.zero_point, .range = range});
    return all;
  }
  const auto multipliers = as_list(r.multiplier), shifts = as_list(r.shift);
  if (multipliers.size() != shifts.size() && shifts.size() != 1)
    refuse_key(Code::wrong_count, "shift", fmt::format("has {} entries", shifts.size()),
               fmt::format("it must have 1, or {} as multipliers has", multipliers.size()));
  for (std::size_t c = 0; c < multipliers.size(); ++c) {
    arith::DoublingRule rule{.zero_point = r.zero_point, .range = range};
    rule.multiplier = static_cast<std::int32_t>(multipliers[c]);
    rule.shift = static_cast<int>(shifts[shifts.size() == 1 ? 0 : c]);
    add(rule.multiplier < 1 << 30 ? "multipliers" : "shift", rule);
  }
  return all;
}

double scale_of_rule(const ChannelRule& rule) {
  const auto* doubling = std::get_if<arith::DoublingRule>(&rule);
  return doubling ? doubling->scale() : static_cast<double>(std::get<arith::FloatRule>(rule).scale);
}

bool in_parts(const ChannelPlan& p) { return p.splits_accumulator || p.splits_factor; }

// Bits of product and offset: one bit of the word is reserved for clearing ties.
int most_sum_bits(const ChannelPlan& p) { return (in_parts(p) ? parts_bits : word_bits) - 1; }

// The largest shift that leaves room for the zero point in the offset.
int most_shift_of(const ChannelPlan& p) {
  return most_sum_bits(p) - 1 - arith::signed_bits(p.range());
}

Interval sums_of(const SlicedRule& f, const Interval& accumulators) {
  Interval all{};
  bool first = true;
  const auto part = [&](Exact lo, Exact hi, Exact offset) {
    if (lo > hi) return;
    const Interval here{lo * f.factor + offset, hi * f.factor + offset};
    all = first ? here : hull(all, here);
    first = false;
  };
  part(accumulators.lo, std::min<Exact>(accumulators.hi, -1), f.offset_below);
  part(std::max<Exact>(accumulators.lo, 0), accumulators.hi, f.offset);
  return all;
}

// Finds the fewest shifts that serve all channels: a factor may be shifted left as long as port A
// holds it and the word holds every sum.
void wire_shifts(ChannelPlan& p) {
  std::vector<std::size_t> order(p.forms.size());
  for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
  const auto most = [&](std::size_t c) {
    const SlicedRule& f = p.forms[c];
    const int of_factor = (p.splits_factor ? long_factor : factor_limit) - f.factor_bits(),
              of_sums = most_sum_bits(p) - arith::signed_bits(sums_of(f, p.accumulators));
    return std::min(most_shift_of(p), f.shift + std::min(of_factor, of_sums));
  };
  std::ranges::stable_sort(order, {}, most);
  p.shift_of.resize(order.size());
  for (const std::size_t c : order) {
    if (p.shifts.empty() || p.forms[c].shift > p.shifts.back()) p.shifts.push_back(most(c));
    p.shift_of[c] = p.shifts.size() - 1;
  }
  for (std::size_t c = 0; c < p.forms.size(); ++c) {
    SlicedRule& f = p.forms[c];
    const int more = p.shifts[p.shift_of[c]] - f.shift;
    const auto scaled = [&](std::int64_t n) { return n * (std::int64_t{1} << more); };
    f.factor = scaled(f.factor);
    f.shift += more;
    // A tie with an odd zero point leaves ones, and after the extra shift even more of them.
    const std::int64_t ones = f.even && (f.zero_point & 1) != 0 ? (std::int64_t{1} << more) - 1 : 0;
    f.offset = scaled(f.offset) + ones;
    f.offset_below = scaled(f.offset_below) + ones;
  }
}

void plan_slices(ChannelPlan& p) {
  p.machine = !in_parts(p)                              ? Machine::one_slice
              : p.splits_accumulator && p.splits_factor ? Machine::four_slices
                                                        : Machine::two_slices;
  wire_shifts(p);
  Interval quotients{};
  for (const SlicedRule& f : p.forms) {
    const Interval sums = sums_of(f, p.accumulators);
    p.sum_bits = std::max(p.sum_bits, arith::signed_bits(sums));
    const Exact unit = arith::power_of_two(f.shift);
    quotients = hull(quotients, Interval{arith::floor_div(sums.lo, unit) - 1,
                                         arith::floor_div(sums.hi, unit) + 1});
  }
  p.sum_bits = std::max(p.sum_bits, *std::ranges::max_element(p.shifts) + 2);
  p.quotient_bits = std::max(arith::signed_bits(quotients), p.request.result_bits + 1);
  p.clamps_low = quotients.lo < p.range().lo;
  p.clamps_high = quotients.hi > p.range().hi;
  p.slice_latency = 2 + p.slices();
  const auto count = static_cast<int>(p.shifts.size());
  const int most_shift = *std::ranges::max_element(p.shifts);
  const bool clamps = p.clamps_low || p.clamps_high;
  // A multiplexer of four is one LUT, of eight two levels, of sixteen three.
  const auto clocks = clocks_of_steps(
      {p.has_ties() ? tree_levels(most_shift) : 0,
       count == 1   ? 0
       : count <= 4 ? 1
       : count <= 8 ? 2
                    : 3,
       p.has_ties() ? 1 : 0, clamps ? levels_below_constant(p.quotient_bits) : 0, clamps ? 1 : 0});
  p.steps_behind = {clocks[0], clocks[1], clocks[2], clocks[3], clocks[4]};
  p.latency = p.table_clocks() + p.slice_latency + p.steps_behind.choose + 1;
}

bool fits_float_lane(const ChannelPlan& p) {
  return p.request.rule == Rule::onnxruntime && p.request.result_bits <= 8;
}

SlicedRule biased(SlicedRule form, std::int64_t bias) {
  form.offset += bias * form.factor;
  form.offset_below += bias * form.factor;
  return form;
}

// The offset includes the bias. If sums below 0 have another offset, accumulators below 0 must have
// it too: the slice only sees the accumulator's sign.
std::optional<SlicedRule> biased_form(const ChannelPlan& p, std::size_t c, int bits) {
  const double scale = scale_of_rule(p.rules[c]);
  const std::int64_t zero = p.request.zero_point, bias = p.bias(c);
  const auto equal = [&](const arith::Steps& steps, bool one_offset) {
    return arith::equal_rule(steps, scale, zero, p.range(), bits, most_shift_of(p), one_offset);
  };
  if (bias == 0) return equal(p.steps[c], false);
  arith::Steps of_sums = p.steps[c];
  of_sums.reachable = of_sums.reachable + Exact{bias};
  for (std::int64_t& begin : of_sums.begins) begin += bias;
  if (const auto form = equal(of_sums, true)) return biased(*form, bias);
  return equal(p.steps[c], false);
}

// Finds slices for all channels, or returns the channel that has none.
std::optional<std::size_t> find_forms(ChannelPlan& p, int bits, bool may_differ) {
  p.splits_factor = bits > factor_limit;
  p.forms.clear();
  p.unequal.clear();
  for (std::size_t c = 0; c < p.rules.size(); ++c) {
    const double scale = scale_of_rule(p.rules[c]);
    const std::int64_t zero = p.request.zero_point;
    auto form = biased_form(p, c, bits);
    if (!form && may_differ)
      form = biased(arith::nearest_rule(scale, zero, p.range(), bits, most_shift_of(p)), p.bias(c));
    if (!form || arith::signed_bits(sums_of(*form, p.accumulators)) > most_sum_bits(p)) return c;
    const auto given =
        steps_of([&](std::int64_t a) { return arith::requantised(*form, a); }, p.reachable(c));
    if (auto apart = arith::apart(p.steps[c], given); !apart.empty())
      p.unequal.push_back({c, std::move(apart)});
    p.forms.push_back(*form);
  }
  return std::nullopt;
}

// Removes the zeros that the wired shift added.
SlicedRule shortest(SlicedRule f) {
  while (f.shift > 0 && f.factor % 2 == 0 && f.offset % 2 == 0 && f.offset_below % 2 == 0) {
    f.factor /= 2, f.offset /= 2, f.offset_below /= 2;
    --f.shift;
  }
  return f;
}

std::string rule_name(const Request& r) {
  return r.rule == Rule::onnxruntime ? "onnxruntime" : "TFLite";
}

}  // namespace

std::int64_t requantised(const ChannelRule& rule, std::int64_t accumulator) {
  return std::visit(
      [&](const auto& r) { return arith::requantised(r, static_cast<std::int32_t>(accumulator)); },
      rule);
}

arith::Interval ChannelPlan::range() const { return range_of_results(request); }
bool ChannelPlan::has_two_offsets() const {
  return std::ranges::any_of(forms, [](const SlicedRule& f) { return f.offset != f.offset_below; });
}
bool ChannelPlan::has_ties() const {
  return std::ranges::any_of(forms, [](const SlicedRule& f) { return f.even; });
}

std::int64_t requantised(const ChannelPlan& p, std::size_t channel, std::int64_t accumulator) {
  const std::int64_t biased = accumulator + p.bias(channel);
  if (p.reachable(channel).contains(accumulator)) return requantised(p.rules[channel], biased);
  if (p.machine != Machine::float_lane) return arith::requantised(p.forms[channel], accumulator);
  return arith::requantised(arith::float_factor(std::get<arith::FloatRule>(p.rules[channel]).scale),
                            p.request.zero_point, p.range(), biased);
}

ChannelPlan plan_channels(const Request& request, const std::vector<Reached>& reached) {
  require_keys(request);
  ChannelPlan p{.request = request, .reached = reached, .accumulators = accumulators_of(request)};
  p.accumulator_bits = static_cast<std::uint32_t>(arith::signed_bits(p.accumulators));
  p.rules = rules_of(request, p.range(), p.accumulators);
  const char* list = request.rule == Rule::onnxruntime ? "scale" : "multipliers";
  if (p.rules.empty() || p.rules.size() > most_channels)
    refuse_key(Code::wrong_length, list, fmt::format("has {} channels", p.rules.size()),
               fmt::format("it must have 1 to {}", most_channels));
  p.channel_bits =
      static_cast<std::uint32_t>(arith::bits_for_count(static_cast<Exact>(p.rules.size())));
  for (std::size_t c = 0; c < p.rules.size(); ++c)
    p.steps.push_back(steps_of(
        [&](std::int64_t a) { return requantised(p.rules[c], a + p.bias(c)); }, p.reachable(c)));
  p.splits_accumulator = p.accumulator_bits > narrow_bits;
  const bool may_differ = !request.exact.value_or(true);
  const int bits = request.factor_bits.value_or(factor_limit);
  auto against = find_forms(p, bits, may_differ);
  // Longer factors, if nothing smaller exists and the user has not forbidden them.
  const bool has_lane = fits_float_lane(p) && !request.factor_bits;
  if (against && !has_lane && !request.factor_bits) against = find_forms(p, long_factor, false);
  if (!against) {
    plan_slices(p);
    for (const auto& u : p.unequal)
      p.steps[u.channel] =
          steps_of([&](std::int64_t a) { return arith::requantised(p.forms[u.channel], a); },
                   p.accumulators);
    return p;
  }
  const std::string what = fmt::format(
      "leaves channel {} without a factor of up to {} bits that is equal to {} for every "
      "accumulator",
      *against, has_lane || request.factor_bits ? bits : long_factor, rule_name(request));
  if (!has_lane)
    refuse_key(Code::not_proved, request.factor_bits ? "factor_bits" : list, what,
               request.factor_bits ? "use more bits, or \"exact\": false"
                                   : "use a narrower accumulator, or \"exact\": false");
  p.forms.clear();
  p.unequal.clear();
  for (std::size_t c = 0; c < p.rules.size(); ++c)
    if (difference(std::get<arith::FloatRule>(p.rules[c]), p.reachable(c) + Exact{p.bias(c)}) ||
        !(p.accumulators + p.bias(c)).within(arith::signed_range(32)))
      refuse_key(Code::not_proved, list, what + ", and float32 does not hold every accumulator",
                 "use an accumulator of up to 25 bits");
  p.machine = Machine::float_lane;
  p.why_float = what;
  p.slice_latency = 1 + FloatLanePlan::latency();
  p.latency = p.table_clocks() + p.slice_latency;
  return p;
}

int ChannelPlan::slices() const {
  if (machine == Machine::one_slice) return 1;
  return machine == Machine::four_slices ? 4 : 2;
}

std::string ChannelPlan::module_name() const {
  return fmt::format("requant{}to{}{}_{}_c{}", accumulator_bits,
                     request.result_sign == Sign::is_signed ? "s" : "u", request.result_bits,
                     request.rule == Rule::onnxruntime ? "f32" : "tfl", rules.size());
}

ChannelIn<Hardware> ChannelPlan::input_shape() const {
  return {
      .rst = {},
      .en = {},
      .in_valid = {},
      .acc = SInt::shape(accumulator_bits),
      .channel = channel_bits > 0 ? std::vector{UInt::shape(channel_bits)} : std::vector<UInt>{}};
}

RequantOut<Hardware> ChannelPlan::output_shape() const {
  return {.out_valid = {}, .q = UInt::shape(static_cast<std::uint32_t>(request.result_bits))};
}

std::string to_text(const ChannelPlan& p) {
  std::string text = fmt::format("requantise {} as {}, {} channel{}, to {}\n",
                                 to_string(p.accumulators), rule_name(p.request), p.rules.size(),
                                 p.rules.size() == 1 ? "" : "s", to_string(p.range()));
  for (std::size_t c = 0; c < std::min(p.forms.size(), shown); ++c)
    text += fmt::format("  {:4}  {}\n", c, arith::to_string(shortest(p.forms[c])));
  if (p.forms.size() > shown) text += fmt::format("  and {} more\n", p.forms.size() - shown);
  if (p.machine == Machine::float_lane)
    text += fmt::format(
        "  every product rounded to 24 bits, then to an integer, ties to even: a slice {}\n",
        p.why_float);
  else
    text += fmt::format("  shift{} {}, wired\n", p.shifts.size() == 1 ? "" : "s",
                        fmt::join(p.shifts, ", "));
  if (p.unequal.empty()) {
    text += fmt::format("  equal to {} for every accumulator\n", rule_name(p.request));
  } else {
    text += fmt::format("  {} of {} channels not equal to {}\n", p.unequal.size(), p.rules.size(),
                        rule_name(p.request));
    for (std::size_t i = 0; i < std::min(p.unequal.size(), shown); ++i) {
      const auto& u = p.unequal[i];
      const arith::Apart& a = u.accumulators.front();
      text += fmt::format("    channel {} at {} of {} accumulators: the first {}, {} for {}\n",
                          u.channel, arith::to_string(count(u.accumulators)),
                          arith::to_string(p.accumulators.span() + 1), to_string(a.accumulators),
                          a.given, a.wanted);
    }
  }
  text += fmt::format("latency {} clocks, one result a clock, {} slice{}\n", p.latency, p.slices(),
                      p.slices() == 1 ? "" : "s");
  return text;
}

void write(config::Writer& w, const ChannelPlan& p) {
  w.member("rule", p.request.rule == Rule::onnxruntime ? "onnxruntime" : "tflite");
  w.member("clamp", to_string(p.range()));
  w.member("machine", p.machine == Machine::one_slice     ? "slice"
                      : p.machine == Machine::two_slices  ? "two slices"
                      : p.machine == Machine::four_slices ? "four slices"
                                                          : "float lane");
  w.member("shifts", p.shifts);
  w.objects("channels", p.forms, [&](const SlicedRule& f) {
    w.member("factor", f.factor);
    w.member("shift", f.shift);
    w.member("offset", f.offset);
    w.member("offset_below_0", f.offset_below);
    w.member("ties_to_even", f.even);
  });
  w.member("equal_for_every_accumulator", p.unequal.empty());
  w.objects("unequal", p.unequal, [&](const ChannelPlan::Unequal& u) {
    w.member("channel", u.channel);
    w.member("count", static_cast<std::int64_t>(count(u.accumulators)));
    w.objects("accumulators", u.accumulators, [&](const arith::Apart& a) {
      w.member("lowest", static_cast<std::int64_t>(a.accumulators.lo));
      w.member("highest", static_cast<std::int64_t>(a.accumulators.hi));
      w.member("wanted", a.wanted);
      w.member("given", a.given);
    });
  });
  w.member("slices", p.slices());
  w.member("latency", p.latency);
  w.member("results_per_cycle", 1);
}

}  // namespace kumiki::gen::requant
