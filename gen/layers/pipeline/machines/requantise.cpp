// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/requantise.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "gen/hdl/hdl.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {
namespace {

// The sums may be unsigned.
arith::Format accumulator_of(const Stream& sums) {
  return {arith::signed_bits(sums.format.range()), true};
}

}  // namespace

std::int64_t RequantisePlan::slices() const {
  return std::accumulate(lanes.begin(), lanes.end(), std::int64_t{0},
                         [](auto sum, const auto& lane) { return sum + lane.slices(); });
}

int RequantisePlan::latency() const {
  int most = 0;
  for (const requant::ChannelPlan& lane : lanes) most = std::max(most, lane.latency);
  return most;
}

int RequantisePlan::levels() const {
  int most = 0;
  for (const requant::ChannelPlan& lane : lanes) most = std::max(most, lane.levels());
  return most;
}

std::string RequantisePlan::text() const {
  return fmt::format("{} channels in {} lanes, sums of {} bits to {}, latency {}", sums.channels,
                     sums.lanes, sums.format.bits, to_string(numbers), latency());
}

std::string RequantisePlan::module_name() const {
  return fmt::format("requantise{}of{}_{}to{}", sums.lanes, sums.channels, sums.format.bits,
                     numbers.bits);
}

MachineOut<Hardware> build(Scope& s, const RequantisePlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Island island(s, p.sums, p.schedule(), in, p.passes.count);
  const auto width = static_cast<std::uint32_t>(accumulator_of(p.sums).bits);
  std::vector<UInt> results;
  for (std::size_t i = 0; i < island.lanes().size(); ++i) {
    const Island::Lane& from = island.lanes()[i];
    if (i >= p.lanes.size()) {
      results.push_back(s.constant(0, static_cast<std::uint32_t>(p.numbers.bits)));
      continue;
    }
    const requant::ChannelPlan& plan = p.lanes[i];
    const UInt sum = p.sums.format.is_signed ? from.number : zext(s, from.number, width);
    requant::LaneIn<Hardware> lane{.en = from.enable, .acc = as_signed(sum), .channel = {}};
    if (plan.channel_bits > 0) lane.channel = {from.block.slice(0, plan.channel_bits)};
    const UInt q = instantiate(s, requant::build_lane, plan, lane, fmt::format("lane{}", i)).q;
    results.push_back(
        delay(s, q, static_cast<std::uint32_t>(p.latency() - plan.latency), from.enable));
  }
  return island.leave(results);
}

Lanes beat(const RequantisePlan& p, std::int64_t k, const Taken& in) {
  const auto sums = in.at(0, k);
  const auto block = static_cast<std::size_t>(p.passes.block(p.sums, k));
  Lanes all(sums.size());
  for (std::size_t i = 0; i < p.lanes.size(); ++i) {
    // Past the last channel a lane uses its first one.
    const requant::ChannelPlan& lane = p.lanes[i];
    all[i] = arith::raw_of(
        lane.result(block < lane.channels() ? block : 0, arith::value_of(sums[i], p.sums.format)),
        p.numbers);
  }
  return all;
}

namespace {

requant::ChannelPlan lane_of(const graph::Node& node, const requant::ChannelsRequest& request) {
  try {
    return plan_channels(request);
  } catch (const DesignError& error) {
    const Diagnostic& d = error.diagnostic();
    throw DesignError({.code = d.code,
                       .wrong = fmt::format("node {}: {} {}", node.name, d.key, d.wrong),
                       .required = d.required});
  }
}

}  // namespace

RequantisePlan requantise(const graph::Graph& g, const graph::Node& node, const Stream& sums,
                          const packing::Limits& limits) {
  const graph::Tensor& out = g.tensors[node.output];
  const auto channels = channels_of(g, node);
  RequantisePlan p{
      .sums = sums, .numbers = out.format, .lanes = {}, .passes = passes_of(sums, out)};
  for (std::int64_t lane = 0; lane < std::min(sums.lanes, std::ssize(channels)); ++lane) {
    requant::ChannelsRequest request{.limits = limits,
                                     .accumulators = arith::signed_range(accumulator_of(sums).bits),
                                     .result = out.format};
    for (std::int64_t c = lane; c < std::ssize(channels); c += sums.lanes)
      request.channels.push_back(channels[static_cast<std::size_t>(c)]);
    p.lanes.push_back(lane_of(node, request));
  }
  return p;
}

RequantisePlan requantise(const graph::Node& node, const Stream& sums, const arith::Format& made,
                          const requant::Channel& alike, const packing::Limits& limits) {
  return {.sums = sums,
          .numbers = made,
          .lanes = std::vector(static_cast<std::size_t>(std::min(sums.lanes, sums.channels)),
                               lane_of(node, {.limits = limits,
                                              .accumulators = sums.format.range(),
                                              .result = made,
                                              .channels = {alike}}))};
}

}  // namespace kumiki::gen::pipeline
