// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/channels.h"

#include <fmt/format.h>

#include "gen/config/messages.h"
#include "gen/layers/common/write.h"
#include "ir/error.h"

namespace kumiki::gen::requant {
namespace {

using arith::Interval;

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
      refuse_key(code::key_without_use, key, "has no effect on a named rule",
                 "omit it: only rule \"scaled\" has it");
  };
  unused(r.bias_bits.has_value(), "bias_bits");
  unused(r.zero_point_bits.has_value(), "zero_point_bits");
  unused(r.rounding != Rounding::half_even, "rounding");
  if (r.rule == Rule::onnxruntime) {
    unused(r.multiplier.has_value(), "multipliers");
    unused(r.shift.has_value(), "shift");
    if (!r.scale)
      refuse_key(code::missing_key, "scale", "is missing", "give a scale, or one a channel");
  } else {
    unused(r.scale.has_value(), "scale");
    if (!r.multiplier)
      refuse_key(code::missing_key, "multipliers", "is missing",
                 "give 2^30 to 2^31 - 1, or one a channel");
    if (!r.shift)
      refuse_key(code::missing_key, "shift", "is missing", "give -31 to 31, or one a channel");
  }
}

std::vector<Channel> channels_of(const Request& r, const Interval& range,
                                 const Interval& reachable) {
  std::vector<Channel> all;
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
    all.push_back({.rule = rule, .accumulators = reachable});
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
    refuse_key(code::wrong_count, "shift", fmt::format("has {} entries", shifts.size()),
               fmt::format("it must have 1, or {} as multipliers has", multipliers.size()));
  for (std::size_t c = 0; c < multipliers.size(); ++c) {
    arith::DoublingRule rule{.zero_point = r.zero_point, .range = range};
    rule.multiplier = static_cast<std::int32_t>(multipliers[c]);
    rule.shift = static_cast<int>(shifts[shifts.size() == 1 ? 0 : c]);
    add(rule.multiplier < 1 << 30 ? "multipliers" : "shift", rule);
  }
  return all;
}

}  // namespace

ChannelPlan plan_channels(const Request& r) {
  require_keys(r);
  const Interval accumulators = accumulators_of(r);
  const ChannelsRequest asked{.limits = r.limits,
                              .accumulators = accumulators,
                              .result = r.result_format(),
                              .channels = channels_of(r, range_of_results(r), accumulators),
                              .factor_bits = r.factor_bits,
                              .may_differ = !r.exact.value_or(true)};
  try {
    return plan_channels(asked);
  } catch (const DesignError& error) {
    const Diagnostic& d = error.diagnostic();
    if (d.key.empty()) throw;
    refuse_key(d.code, d.key == "scale" && r.rule == Rule::tflite ? "multipliers" : d.key, d.wrong,
               d.required);
  }
}

RequantIn<Hardware> input_shape(const ChannelPlan& p) {
  return {.rst = {},
          .en = {},
          .in_valid = {},
          .acc = SInt::shape(p.accumulator_bits),
          .scale = {},
          .bias = {},
          .zero_point = {},
          .channel =
              p.channel_bits > 0 ? std::vector{UInt::shape(p.channel_bits)} : std::vector<UInt>{}};
}

RequantOut<Hardware> output_shape(const ChannelPlan& p) {
  return {.out_valid = {}, .q = UInt::shape(static_cast<std::uint32_t>(p.request.result.bits))};
}

void write(config::Writer& w, const ChannelPlan& p) {
  w.member("rule", p.is_float() ? "onnxruntime" : "tflite");
  w.member("clamp", to_string(p.range()));
  w.member("machine", p.machine == Machine::one_slice     ? "slice"
                      : p.machine == Machine::two_slices  ? "two slices"
                      : p.machine == Machine::four_slices ? "four slices"
                                                          : "float lane");
  w.member("shifts", p.shifts);
  if (p.narrow) {
    w.member("low_bits", p.narrow->low_bits);
    w.member("near_bits", p.narrow->near_bits);
    w.objects("channels", p.narrow->channels, [&](const arith::NarrowRule& r) {
      w.member("factor", r.factor);
      w.member("shift", r.shift);
      w.member("offsets", r.offsets);
      w.member("near_ties_to_even", r.even);
    });
    w.objects("exceptions", p.narrow->exceptions, [&](const arith::NarrowRules::Exception& e) {
      w.member("channel", e.channel);
      w.member("accumulator", e.accumulator);
      w.member("result", e.result);
    });
  } else {
    w.objects("channels", p.forms, [&](const arith::SlicedRule& f) {
      w.member("factor", f.factor);
      w.member("shift", f.shift);
      w.member("offset", f.offset);
      w.member("offset_below_0", f.offset_below);
      w.member("ties_to_even", f.even);
    });
  }
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
