// SPDX-License-Identifier: Apache-2.0
// Requantisation by a named rule, onnxruntime's or TFLite's. It gives the same bits for every
// accumulator, channel by channel, in the cheapest hardware that does so.
#pragma once
#include <variant>
#include <vector>

#include "gen/arith/channel_rule.h"
#include "gen/layers/requant/constants.h"
#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

using ChannelRule = std::variant<arith::FloatRule, arith::DoublingRule>;
std::int64_t requantised(const ChannelRule& rule, std::int64_t accumulator);

// The range of a channel's accumulators, and the bias added to each before the rule.
struct Reached {
  arith::Interval accumulators;
  std::int64_t bias = 0;
  bool operator==(const Reached&) const = default;
};

// From the cheapest to the most expensive.
enum class Machine : std::uint8_t {
  one_slice,    // factor on A, up to 18 bits of accumulator on B, offset on C
  two_slices,   // the accumulator or the factor in two parts, through the cascade
  four_slices,  // both
  float_lane    // the product rounded as in float32: only for onnxruntime's rule
};

struct ChannelPlan {
  // With `exact` false: the accumulators at which a channel differs from the rule.
  struct Unequal {
    std::size_t channel = 0;
    std::vector<arith::Apart> accumulators;
  };

  Request request;
  std::vector<Reached> reached;  // for each channel; empty: all accumulators, without a bias
  arith::Interval accumulators;
  std::uint32_t accumulator_bits = 0, channel_bits = 0;  // widths of the ports; 0: one channel
  std::vector<ChannelRule> rules;
  std::vector<arith::Steps> steps;  // the definition of each channel's result
  Machine machine = Machine::one_slice;
  // For slices, with the bias in their offsets; empty for a float lane.
  std::vector<arith::SlicedRule> forms;
  bool splits_accumulator = false, splits_factor = false;  // the lower 17 bits are separate
  std::vector<Unequal> unequal;
  std::string why_float;  // for a float lane: the channel that needs it
  // For slices: the wired shifts, the lowest first, and the one that each channel uses after its
  // factor has been shifted to match.
  std::vector<int> shifts;
  std::vector<std::size_t> shift_of;
  int sum_bits = 0;       // of product and offset
  int quotient_bits = 0;  // of the sum after its shift
  bool clamps_low = false, clamps_high = false;
  // The clock after P in which a step happens.
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
  // The most levels of logic. No scales seen so far need more shifts than a multiplexer of three
  // levels has inputs.
  int levels() const { return shifts.size() <= 16 ? 3 : 4; }
  // Clocks to look up the constants of a channel.
  int table_clocks() const { return clocks_of_constants(channel_bits); }
  std::string module_name() const;
  bool operator==(const ChannelPlan& other) const {
    return request == other.request && reached == other.reached;
  }
  ChannelIn<Hardware> input_shape() const;
  RequantOut<Hardware> output_shape() const;
};

// Throws config::Refusal at the key that caused it. `reached` must lie within the accumulators of
// the request; for other accumulators the result is that of the form.
ChannelPlan plan_channels(const Request& request, const std::vector<Reached>& reached = {});

// The result of a channel's rule; for accumulators that the channel does not reach, the result of
// its form.
std::int64_t requantised(const ChannelPlan& plan, std::size_t channel, std::int64_t accumulator);

std::string to_text(const ChannelPlan& plan);
void write(config::Writer& w, const ChannelPlan& plan);

}  // namespace kumiki::gen::requant
