// SPDX-License-Identifier: Apache-2.0
// Turns sums into the numbers of the next tensor, channel by channel, as onnxruntime does. A lane
// is the cheapest hardware of gen/blocks/requant that is exact for every sum that its channels
// reach. The constants of the lanes include what the sums lack: bias and zero point.
#pragma once
#include <string>
#include <vector>

#include "gen/blocks/requant/requantiser.h"
#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/island.h"

namespace kumiki::gen::pipeline {

struct RequantisePlan {
  Stream sums;
  arith::Format numbers;
  std::vector<requant::ChannelPlan> lanes;  // only lanes that have channels
  Passes passes = {};
  std::vector<Stream> inputs() const { return {sums}; }
  Stream output() const { return sums.with(numbers); }
  Moving schedule() const { return Island::schedule(sums, latency(), passes.count); }
  std::int64_t slices() const;
  int latency() const;  // of the longest lane; the others wait for it
  int levels() const;
  std::string kind() const { return "requantise"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const RequantisePlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const RequantisePlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const RequantisePlan& plan, std::int64_t k, const Taken& in);

// For a Conv or GlobalAverage, whose sums come without bias and zero point of the input, in slices
// with these limits. DesignError: no exact hardware exists.
RequantisePlan requantise(const graph::Graph& graph, const graph::Node& node, const Stream& sums,
                          const packing::Limits& limits);
// For sums that all become numbers of `made` in one way. DesignError: no exact hardware exists.
RequantisePlan requantise(const graph::Node& node, const Stream& sums, const arith::Format& made,
                          const requant::Channel& alike, const packing::Limits& limits);

}  // namespace kumiki::gen::pipeline
