// SPDX-License-Identifier: Apache-2.0
// From what the sums of each channel can be, and the rule that makes numbers of them, to the
// cheapest machine that is equal at every sum. Everything that requantises by onnxruntime's or
// TFLite's rule asks here.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gen/arith/channel_rule.h"
#include "gen/arith/float_rule.h"
#include "gen/arith/format.h"
#include "gen/arith/narrow_rules.h"
#include "gen/blocks/packing/plan.h"
#include "gen/blocks/requant/constants.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/hdl/ports.h"

namespace kumiki::gen::requant {

using ChannelRule = std::variant<arith::FloatRule, arith::DoublingRule>;
std::int64_t requantised(const ChannelRule& rule, std::int64_t sum);
double scale_of(const ChannelRule& rule);
std::int64_t zero_point_of(const ChannelRule& rule);

// A sum is an accumulator and the bias of its channel. A machine must be equal for the accumulators
// that the channel reaches; for others its result is that of its form.
struct Channel {
  ChannelRule rule;
  arith::Interval accumulators;
  std::int64_t bias = 0;
  arith::Steps steps() const;  // of the sums
  bool operator==(const Channel&) const = default;
};

struct ChannelsRequest {
  packing::Limits limits;        // of the slices
  arith::Interval accumulators;  // of the port
  arith::Format result;
  std::vector<Channel> channels;  // all with the same zero point and range of results
  std::optional<int> factor_bits = {};
  bool may_differ = false;  // take the nearest form of a channel that has no equal one
  bool operator==(const ChannelsRequest&) const = default;
};

// From the cheapest to the most expensive.
enum class Machine : std::uint8_t {
  one_slice,    // factor on A, 18 bits of accumulator on B, offset on C
  two_slices,   // the accumulator or the factor in two parts, through the cascade
  four_slices,  // both
  float_lane    // the product rounded as in float32: only for onnxruntime's rule
};

struct ChannelPlan {
  // With `may_differ`: the accumulators at which a channel differs from the rule.
  struct Unequal {
    std::size_t channel = 0;
    std::vector<arith::Apart> accumulators;
  };

  ChannelsRequest request;
  // The accumulators at which the results of each channel begin.
  std::vector<arith::Steps> steps;
  std::uint32_t accumulator_bits = 0, channel_bits = 0;  // widths of the ports; 0: one channel
  Machine machine = Machine::one_slice;
  // Of one slice that takes 18 bits of a wider accumulator, or that rounds near ties.
  std::optional<arith::NarrowRules> narrow;
  // For other slices, with the bias in their offsets; empty for a float lane.
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

  std::size_t channels() const { return request.channels.size(); }
  std::int64_t zero_point() const { return zero_point_of(request.channels[0].rule); }
  arith::Interval range() const;  // of results
  bool is_float() const;          // by onnxruntime's rule
  bool has_two_offsets() const;
  FloatLanePlan float_lane() const;
  bool offset_in_first() const;  // of several slices; else the last one adds its upper part by W
  bool has_ties() const;
  bool detects_ties() const;      // with the pattern detector
  int tie_bits(int shift) const;  // that are equal in a tie
  bool is_even(std::size_t channel) const;
  bool has_exceptions() const;
  bool has_outside() const;  // accumulators that the port does not hold
  int slices() const;
  // The most levels of logic. No scales seen so far need more shifts than a multiplexer of three
  // levels has inputs.
  int levels() const { return shifts.size() <= 16 ? 3 : 4; }
  // Clocks to look up the constants of a channel.
  int table_clocks() const { return clocks_of_constants(channel_bits); }
  // The result of a channel's rule. For accumulators that the channel does not reach, and for
  // channels that differ, the result of its form.
  std::int64_t result(std::size_t channel, std::int64_t accumulator) const;
  std::string module_name() const;
  bool operator==(const ChannelPlan& other) const { return request == other.request; }
};

// DesignError with the key "scale", or "factor_bits" if more of them would do.
ChannelPlan plan_channels(const ChannelsRequest& request);

std::string rule_name(const ChannelPlan& plan);  // "onnxruntime"
std::string to_text(const ChannelPlan& plan);

// A lane takes an accumulator in every enabled clock and gives its result `latency` of them later.
// A channel number out of range selects the first channel.
template <class R>
struct LaneIn {
  typename R::Bit en;
  typename R::SInt acc;
  std::vector<typename R::UInt> channel;
  static constexpr auto ports() {
    return std::tuple(port("en", &LaneIn::en), port("acc", &LaneIn::acc),
                      port("channel", &LaneIn::channel));
  }
};
template <class R>
struct LaneOut {
  typename R::UInt q;
  static constexpr auto ports() { return std::tuple(port("q", &LaneOut::q)); }
};

LaneOut<Hardware> build_lane(Scope& s, const ChannelPlan& plan, const LaneIn<Hardware>& in);
// The result, one clock before its register.
UInt unregistered(Scope& s, const ChannelPlan& plan, const LaneIn<Hardware>& in);

}  // namespace kumiki::gen::requant
