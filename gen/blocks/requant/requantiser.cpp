// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/requant/requantiser.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/arith/float_factor.h"
#include "gen/blocks/packing/messages.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/blocks/requant/select.h"
#include "gen/blocks/requant/steps.h"
#include "ir/arch.h"
#include "ir/error.h"

namespace kumiki::gen::requant {
namespace {

using arith::Exact;
using arith::FloatFactor;
using arith::Interval;
using arith::SlicedRule;

constexpr int long_factor = 31;  // a multiplier of TFLite
constexpr int word_bits = ir::arch::dsp48e2.p;
constexpr int parts_bits = 62;  // of sums in parts, which fit C++ integers
constexpr std::size_t most_channels = 4096, shown = 8;
// Tables for the low bits of an accumulator, if they need not be larger, stay in LUTs or in one
// block memory.
constexpr int most_low_bits = 2, index_bits_of_a_block = 9;

// Of a factor in one part, which is unsigned.
int factor_limit(const ChannelPlan& p) { return p.request.limits.wide_bits - 1; }

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

// The sums of the first of several slices, if it adds the whole offset.
Interval first_sums(const ChannelPlan& p, const SlicedRule& f) {
  const Interval low = arith::unsigned_range(ir::arch::dsp48e2.shift);
  const Interval factor = p.splits_factor ? low : Interval::point(f.factor);
  return (p.splits_accumulator ? low : p.request.accumulators) * factor +
         hull(Interval::point(f.offset), Interval::point(f.offset_below));
}

// Finds the fewest shifts that serve all channels: a factor may be shifted left as long as port A
// holds it and the word holds every sum.
void wire_shifts(ChannelPlan& p) {
  std::vector<std::size_t> order(p.forms.size());
  for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
  const auto most = [&](std::size_t c) {
    const SlicedRule& f = p.forms[c];
    const int of_factor = (p.splits_factor ? long_factor : factor_limit(p)) - f.factor_bits(),
              of_sums = most_sum_bits(p) - arith::signed_bits(sums_of(f, p.request.accumulators)),
              of_first =
                  p.offset_in_first() ? word_bits - arith::signed_bits(first_sums(p, f)) : of_sums;
    return std::min(most_shift_of(p), f.shift + std::min({of_factor, of_sums, of_first}));
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

// The sums of a channel, before its shift.
Interval sums_of(const arith::NarrowRules& n, const arith::NarrowRule& rule,
                 const Interval& accumulators) {
  const Exact unit = arith::power_of_two(n.low_bits);
  const Interval held{std::max(accumulators.lo, n.held.lo), std::min(accumulators.hi, n.held.hi)};
  const auto [least, most] = std::ranges::minmax(rule.offsets);
  return Interval{arith::floor_div(held.lo, unit), arith::floor_div(held.hi, unit)} *
             Exact{rule.factor} +
         Interval{least, most};
}

// Widths and clocks behind the slices.
void plan_rest(ChannelPlan& p) {
  Interval quotients{};
  const auto add = [&](const Interval& sums, int shift) {
    p.sum_bits = std::max({p.sum_bits, arith::signed_bits(sums), shift + 2});
    const Exact unit = arith::power_of_two(shift);
    quotients = hull(quotients, Interval{arith::floor_div(sums.lo, unit) - 1,
                                         arith::floor_div(sums.hi, unit) + 1});
  };
  for (const SlicedRule& f : p.forms) add(sums_of(f, p.request.accumulators), f.shift);
  if (p.narrow)
    for (const arith::NarrowRule& f : p.narrow->channels)
      add(sums_of(*p.narrow, f, p.request.accumulators), f.shift);
  p.quotient_bits = std::max(arith::signed_bits(quotients), p.request.result.bits + 1);
  p.clamps_low = quotients.lo < p.range().lo;
  p.clamps_high = quotients.hi > p.range().hi;
  p.slice_latency = 2 + p.slices();
  const auto count = static_cast<int>(p.shifts.size());
  const bool clamps = p.clamps_low || p.clamps_high || p.has_outside();
  // A multiplexer of four is one LUT, of eight two levels, of sixteen three.
  const int inverter = p.narrow && (p.zero_point() & 1) == 0 ? 1 : 0;
  const std::size_t exceptions = p.narrow ? p.narrow->exceptions.size() : 0;
  const auto clocks = clocks_of_steps(
      {p.has_ties() && !p.detects_ties() ? tree_levels(p.tie_bits(p.shifts.back())) + inverter : 0,
       count == 1   ? 0
       : count <= 4 ? 1
       : count <= 8 ? 2
                    : 3,
       p.has_ties() ? 1 : 0,
       clamps ? levels_below_constant(p.quotient_bits) + (p.has_outside() ? 1 : 0) : 0,
       exceptions > 1             ? 2
       : exceptions > 0 || clamps ? 1
                                  : 0});
  p.steps_behind = {clocks[0], clocks[1], clocks[2], clocks[3], clocks[4]};
  p.latency = p.table_clocks() + p.slice_latency + p.steps_behind.choose + 1;
}

void plan_slices(ChannelPlan& p) {
  p.machine = !in_parts(p)                              ? Machine::one_slice
              : p.splits_accumulator && p.splits_factor ? Machine::four_slices
                                                        : Machine::two_slices;
  wire_shifts(p);
  plan_rest(p);
}

// One slice whose port takes a part of the accumulator.
bool plan_narrow(ChannelPlan& p) {
  const auto channel_bits = static_cast<int>(p.channel_bits);
  const int most_index_bits =
      p.channel_bits > index_bits_of_a_lut ? index_bits_of_a_block : int{index_bits_of_a_lut};
  arith::NarrowRequest request{
      .channels = {},
      .zero_point = p.zero_point(),
      .range = p.range(),
      .port_bits = p.request.limits.narrow_bits,
      .factor_bits = factor_limit(p),
      .sum_bits = word_bits,
      .most_low_bits = std::min(most_low_bits, most_index_bits - channel_bits)};
  for (std::size_t c = 0; c < p.channels(); ++c)
    request.channels.push_back({p.steps[c], scale_of(p.request.channels[c].rule)});
  auto rules = arith::narrow_rules(request);
  const Interval word = arith::signed_range(word_bits);
  const auto fits = [&](const arith::NarrowRule& rule) {
    const auto [least, most] = std::ranges::minmax(rule.offsets);
    return Interval{least, most}.within(word) &&
           sums_of(*rules, rule, p.request.accumulators).within(word);
  };
  if (!rules || !std::ranges::all_of(rules->channels, fits)) return false;
  p.narrow = std::move(rules);
  p.shifts = p.narrow->shifts();
  for (const arith::NarrowRule& rule : p.narrow->channels)
    p.shift_of.push_back(
        static_cast<std::size_t>(std::ranges::find(p.shifts, rule.shift) - p.shifts.begin()));
  plan_rest(p);
  return true;
}

// The lane adds the zero point to a rounded number.
bool fits_float_lane(const ChannelPlan& p) {
  const auto* rule = std::get_if<arith::FloatRule>(&p.request.channels[0].rule);
  return rule != nullptr && !rule->zero_point_first && p.request.result.bits <= 8;
}

SlicedRule biased(SlicedRule form, std::int64_t bias) {
  form.offset += bias * form.factor;
  form.offset_below += bias * form.factor;
  return form;
}

// The offset includes the bias. If sums below 0 have another offset, accumulators below 0 must have
// it too: the slice only sees the accumulator's sign.
std::optional<SlicedRule> biased_form(const ChannelPlan& p, std::size_t c, int bits) {
  const Channel& channel = p.request.channels[c];
  const auto equal = [&](const arith::Steps& steps, bool one_offset) {
    return arith::equal_rule(steps, scale_of(channel.rule), p.zero_point(), p.range(), bits,
                             most_shift_of(p), one_offset);
  };
  if (channel.bias != 0)
    if (const auto form = equal(moved(p.steps[c], channel.bias), true))
      return biased(*form, channel.bias);
  return equal(p.steps[c], false);
}

// Finds slices for all channels, or returns the channel that has none.
std::optional<std::size_t> find_forms(ChannelPlan& p, int bits, bool may_differ) {
  p.splits_factor = bits > factor_limit(p);
  p.forms.clear();
  p.unequal.clear();
  for (std::size_t c = 0; c < p.channels(); ++c) {
    const Channel& channel = p.request.channels[c];
    auto form = biased_form(p, c, bits);
    if (!form && may_differ)
      form = biased(arith::nearest_rule(scale_of(channel.rule), p.zero_point(), p.range(), bits,
                                        most_shift_of(p)),
                    channel.bias);
    if (!form || arith::signed_bits(sums_of(*form, p.request.accumulators)) > most_sum_bits(p) ||
        (p.offset_in_first() && !first_sums(p, *form).within(arith::signed_range(word_bits))))
      return c;
    p.forms.push_back(*form);
    const auto given = [&](std::int64_t a) { return arith::requantised(*form, a); };
    if (difference(p.steps[c], given))
      p.unequal.push_back(
          {c, arith::apart(p.steps[c], arith::steps_of(given, p.steps[c].reachable))});
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

}  // namespace

std::int64_t requantised(const ChannelRule& rule, std::int64_t sum) {
  return std::visit(
      [&](const auto& r) { return arith::requantised(r, static_cast<std::int32_t>(sum)); }, rule);
}

double scale_of(const ChannelRule& rule) {
  const auto* doubling = std::get_if<arith::DoublingRule>(&rule);
  return doubling ? doubling->scale() : static_cast<double>(std::get<arith::FloatRule>(rule).scale);
}

std::int64_t zero_point_of(const ChannelRule& rule) {
  return std::visit([](const auto& r) { return r.zero_point; }, rule);
}

arith::Steps Channel::steps() const {
  const Interval sums = accumulators + Exact{bias};
  if (const auto* rule_of_floats = std::get_if<arith::FloatRule>(&rule))
    return arith::steps_of(*rule_of_floats, sums);
  return arith::steps_of([&](std::int64_t sum) { return requantised(rule, sum); }, sums);
}

arith::Interval ChannelPlan::range() const {
  return std::visit([](const auto& r) { return r.range; }, request.channels[0].rule);
}
bool ChannelPlan::is_float() const {
  return std::holds_alternative<arith::FloatRule>(request.channels[0].rule);
}
bool ChannelPlan::has_two_offsets() const {
  return std::ranges::any_of(forms, [](const SlicedRule& f) { return f.offset != f.offset_below; });
}
FloatLanePlan ChannelPlan::float_lane() const {
  return FloatLanePlan::of(request.result.bits, request.limits.wide_bits);
}
bool ChannelPlan::offset_in_first() const {
  return (splits_accumulator || splits_factor) && !request.limits.w_multiplexer;
}
bool ChannelPlan::has_ties() const {
  if (narrow) return narrow->near_bits > 0;
  return std::ranges::any_of(forms, [](const SlicedRule& f) { return f.even; });
}
bool ChannelPlan::detects_ties() const { return narrow && shifts.size() == 1; }
int ChannelPlan::tie_bits(int shift) const {
  return narrow ? std::min(shift, narrow->near_bits) : shift;
}
bool ChannelPlan::has_outside() const {
  return narrow && !request.accumulators.within(narrow->held);
}
bool ChannelPlan::has_exceptions() const { return narrow && !narrow->exceptions.empty(); }
bool ChannelPlan::is_even(std::size_t channel) const {
  return narrow ? narrow->channels[channel].even : forms[channel].even;
}

std::int64_t ChannelPlan::result(std::size_t channel, std::int64_t accumulator) const {
  const Channel& c = request.channels[channel];
  const std::int64_t sum = accumulator + c.bias;
  const bool differs = std::ranges::find(unequal, channel, &Unequal::channel) != unequal.end();
  if (c.accumulators.contains(accumulator) && !differs) return requantised(c.rule, sum);
  if (narrow) return arith::requantised(*narrow, channel, accumulator);
  if (machine != Machine::float_lane) return arith::requantised(forms[channel], accumulator);
  return arith::requantised(arith::float_factor(std::get<arith::FloatRule>(c.rule).scale),
                            zero_point(), range(), sum);
}

ChannelPlan plan_channels(const ChannelsRequest& request) {
  const auto refuse = [](Code code, const char* key, const std::string& wrong,
                         const std::string& required) {
    throw DesignError({.code = code, .key = key, .wrong = wrong, .required = required});
  };
  if (request.channels.empty() || request.channels.size() > most_channels)
    refuse(code::wrong_length, "scale", fmt::format("has {} channels", request.channels.size()),
           fmt::format("it must have 1 to {}", most_channels));
  ChannelPlan p{.request = request};
  p.accumulator_bits = static_cast<std::uint32_t>(arith::signed_bits(request.accumulators));
  p.channel_bits =
      static_cast<std::uint32_t>(arith::bits_for_count(static_cast<Exact>(p.channels())));
  for (const Channel& c : request.channels) p.steps.push_back(moved(c.steps(), -c.bias));
  if (!request.factor_bits && plan_narrow(p)) return p;
  p.splits_accumulator = static_cast<int>(p.accumulator_bits) > request.limits.narrow_bits;
  const int bits = request.factor_bits.value_or(factor_limit(p));
  auto against = find_forms(p, bits, request.may_differ);
  // Longer factors, if nothing smaller exists and the user has not forbidden them.
  const bool has_lane = fits_float_lane(p) && !request.factor_bits;
  if (against && !has_lane && !request.factor_bits) against = find_forms(p, long_factor, false);
  if (!against) {
    plan_slices(p);
    for (const auto& u : p.unequal)
      p.steps[u.channel] =
          steps_of([&](std::int64_t a) { return arith::requantised(p.forms[u.channel], a); },
                   request.accumulators);
    return p;
  }
  const std::string what = fmt::format(
      "leaves channel {} without a factor of up to {} bits that is equal to {} for every "
      "accumulator",
      *against, has_lane || request.factor_bits ? bits : long_factor, rule_name(p));
  if (!has_lane)
    refuse(code::not_proved, request.factor_bits ? "factor_bits" : "scale", what,
           request.factor_bits ? "use more bits, or \"exact\": false"
                               : "use a narrower accumulator, or \"exact\": false");
  p.forms.clear();
  p.unequal.clear();
  for (const Channel& c : request.channels)
    if (difference(std::get<arith::FloatRule>(c.rule), c.accumulators + Exact{c.bias}) ||
        !(request.accumulators + Exact{c.bias}).within(arith::signed_range(32)))
      refuse(code::not_proved, "scale", what + ", and float32 does not hold every accumulator",
             "use an accumulator of up to 25 bits");
  p.machine = Machine::float_lane;
  p.why_float = what;
  p.slice_latency = 1 + p.float_lane().latency();
  p.latency = p.table_clocks() + p.slice_latency;
  return p;
}

int ChannelPlan::slices() const {
  if (machine == Machine::one_slice) return 1;
  return machine == Machine::four_slices ? 4 : 2;
}

std::string ChannelPlan::module_name() const {
  return fmt::format("requant{}to{}{}_{}_c{}", accumulator_bits,
                     request.result.is_signed ? "s" : "u", request.result.bits,
                     is_float() ? "f32" : "tfl", channels());
}

std::string rule_name(const ChannelPlan& plan) {
  return plan.is_float() ? "onnxruntime" : "TFLite";
}

std::string to_text(const ChannelPlan& p) {
  std::string text =
      fmt::format("requantise {} as {}, {} channel{}, to {}\n", to_string(p.request.accumulators),
                  rule_name(p), p.channels(), p.channels() == 1 ? "" : "s", to_string(p.range()));
  const std::size_t rules = p.machine == Machine::float_lane ? 0 : p.channels();
  for (std::size_t c = 0; c < std::min(rules, shown); ++c)
    text += fmt::format(
        "  {:4}  {}\n", c,
        p.narrow ? arith::to_string(*p.narrow, c) : arith::to_string(shortest(p.forms[c])));
  if (rules > shown) text += fmt::format("  and {} more\n", rules - shown);
  if (p.machine == Machine::float_lane)
    text += fmt::format(
        "  every product rounded to 24 bits, then to an integer, ties to even: a slice {}\n",
        p.why_float);
  else
    text += fmt::format("  shift{} {}, wired\n", p.shifts.size() == 1 ? "" : "s",
                        fmt::join(p.shifts, ", "));
  if (p.unequal.empty()) {
    text += fmt::format("  equal to {} for every accumulator\n", rule_name(p));
  } else {
    text += fmt::format("  {} of {} channels not equal to {}\n", p.unequal.size(), p.channels(),
                        rule_name(p));
    for (std::size_t i = 0; i < std::min(p.unequal.size(), shown); ++i) {
      const auto& u = p.unequal[i];
      const arith::Apart& a = u.accumulators.front();
      text += fmt::format("    channel {} at {} of {} accumulators: the first {}, {} for {}\n",
                          u.channel, arith::to_string(count(u.accumulators)),
                          arith::to_string(p.request.accumulators.span() + 1),
                          to_string(a.accumulators), a.given, a.wanted);
    }
  }
  text += fmt::format("latency {} clocks, one result a clock, {} slice{}\n", p.latency, p.slices(),
                      p.slices() == 1 ? "" : "s");
  return text;
}

}  // namespace kumiki::gen::requant
