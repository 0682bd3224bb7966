// SPDX-License-Identifier: Apache-2.0
// Requantisation by a named rule, onnxruntime's or TFLite's: the same bits for every accumulator,
// channel by channel, in the cheapest hardware that has them.
#pragma once
#include <variant>
#include <vector>

#include "gen/arith/channel_rule.h"
#include "gen/layers/requant/plan.h"

namespace kumiki::gen::requant {

using ChannelRule = std::variant<arith::FloatRule, arith::DoublingRule>;
std::int64_t requantised(const ChannelRule& rule, std::int64_t accumulator);

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
  arith::Interval accumulators;
  std::uint32_t accumulator_bits = 0, channel_bits = 0;  // of their ports; 0: one channel
  std::vector<ChannelRule> rules;
  std::vector<arith::Steps> steps;  // of what each channel computes: the definition
  Machine machine = Machine::one_slice;
  std::vector<arith::SlicedRule> forms;                    // of slices; none of a float lane
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
  bool has_two_offsets() const;
  bool has_ties() const;
  int slices() const;
  // Clocks in which the constants of a channel are looked up.
  static constexpr std::uint32_t table_bits = 9;  // of the index, in the first one
  int table_clocks() const { return channel_bits == 0 ? 0 : channel_bits <= table_bits ? 1 : 2; }
  std::string module_name() const;
  bool operator==(const ChannelPlan& other) const { return request == other.request; }
  ChannelIn<Hardware> input_shape() const;
  RequantOut<Hardware> output_shape() const;
};

// Throws config::Refusal for a request that is not possible, at the key to blame.
ChannelPlan plan_channels(const Request& request);

std::string to_text(const ChannelPlan& plan);
void write(config::Writer& w, const ChannelPlan& plan);

}  // namespace kumiki::gen::requant
