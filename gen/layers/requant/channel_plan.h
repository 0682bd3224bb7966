// SPDX-License-Identifier: Apache-2.0
// Requantisation by a named rule, onnxruntime's or TFLite's: the same bits for every accumulator,
// channel by channel, in the cheapest hardware that has them.
#pragma once
#include <variant>
#include <vector>

#include "gen/arith/channel_rule.h"
#include "gen/layers/requant/constants.h"
#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

using ChannelRule = std::variant<arith::FloatRule, arith::DoublingRule>;
std::int64_t requantised(const ChannelRule& rule, std::int64_t accumulator);

// What a channel's accumulators can be, and what is added to each before the rule.
struct Reached {
  arith::Interval accumulators;
  std::int64_t bias = 0;
  bool operator==(const Reached&) const = default;
};

// From the cheapest on.
enum class Machine : std::uint8_t {
  one_slice,    // factor on A, up to 18 bits of accumulator on B, offset on C
  two_slices,   // the accumulator or the factor in two parts, through the cascade
  four_slices,  // both
  float_lane    // the product rounded as float32 does it: onnxruntime's rule alone
};

struct ChannelPlan {
  // `exact` false: accumulators at which a channel is not equal to the rule.
  struct Unequal {
    std::size_t channel = 0;
    std::vector<arith::Apart> accumulators;
  };

  Request request;
  std::vector<Reached> reached;  // of each channel; none: all accumulators, without a bias
  arith::Interval accumulators;
  std::uint32_t accumulator_bits = 0, channel_bits = 0;  // of their ports; 0: one channel
  std::vector<ChannelRule> rules;
  std::vector<arith::Steps> steps;  // of what each channel computes: the definition
  Machine machine = Machine::one_slice;
  // Of slices, with the bias in their offsets; none of a float lane.
  std::vector<arith::SlicedRule> forms;
  bool splits_accumulator = false, splits_factor = false;  // the lower 17 bits apart
  std::vector<Unequal> unequal;
  std::string why_float;  // of a float lane: the channel that needs it
  // Of slices: the shifts that are wired, the lowest first, and which one a channel takes after its
  // factor was shifted to it.
  std::vector<int> shifts;
  std::vector<std::size_t> shift_of;
  int sum_bits = 0;       // of product and offset
  int quotient_bits = 0;  // of the sum behind its shift
  bool clamps_low = false, clamps_high = false;
  // The clock behind P in which a step happens.
  struct Steps {
    int ties = 0, select = 0, even = 0, compare = 0, choose = 0;
  };
  Steps steps_behind;
  int slice_latency = 0, latency = 0;

  arith::Interval range() const;  // of results
  std::int64_t bias(std::size_t channel) const {
    return reached.empty() ? 0 : reached[channel].bias;
  }
  arith::Interval reachable(std::size_t channel) const {
    return reached.empty() ? accumulators : reached[channel].accumulators;
  }
  bool has_two_offsets() const;
  bool has_ties() const;
  int slices() const;
  // Of logic, at most. No scales that anybody has seen want more shifts than a multiplexer of three
  // levels has inputs.
  int levels() const { return shifts.size() <= 16 ? 3 : 4; }
  // Clocks in which the constants of a channel are looked up.
  int table_clocks() const { return clocks_of_constants(channel_bits); }
  std::string module_name() const;
  bool operator==(const ChannelPlan& other) const {
    return request == other.request && reached == other.reached;
  }
  ChannelIn<Hardware> input_shape() const;
  RequantOut<Hardware> output_shape() const;
};

// Throws config::Refusal for a request that is not possible, at the key to blame. What is `reached`
// lies within the accumulators of the request; others become what the form makes of them.
ChannelPlan plan_channels(const Request& request, const std::vector<Reached>& reached = {});

// The result of a channel: that of its rule, of accumulators that it does not reach that of its
// form.
std::int64_t requantised(const ChannelPlan& plan, std::size_t channel, std::int64_t accumulator);

std::string to_text(const ChannelPlan& plan);
void write(config::Writer& w, const ChannelPlan& plan);

}  // namespace kumiki::gen::requant
