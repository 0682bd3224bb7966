// SPDX-License-Identifier: Apache-2.0
// Maps numbers to numbers of few bits by thresholds, channel by channel (graph::Thresholds). A lane
// finds its result bit by bit, with one comparison each. The known bits and the block of channels
// select the next threshold.
#pragma once
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/island.h"

namespace kumiki::gen::pipeline {

struct ThresholdsPlan {
  Stream in;
  graph::Thresholds thresholds;       // applied to the input plus its offset
  std::vector<std::int64_t> offsets;  // [channel]; none: 0. They cost nothing.
  arith::Format numbers;
  Passes passes = {};
  std::vector<Stream> inputs() const { return {in}; }
  Stream output() const { return in.with(numbers); }
  Moving schedule() const { return Island::schedule(in, latency(), passes.count); }
  std::int64_t slices() const { return 0; }
  int latency() const;
  int levels() const { return 3; }
  std::string kind() const { return "thresholds"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ThresholdsPlan&) const = default;

  Stream together() const { return passes.together(in); }
  int steps() const;  // bits of (result - lowest result)
  bool falls(std::int64_t channel) const;
  // Entry `level` of the 2^steps - 1 thresholds of a channel, lowest first. No number reaches an
  // unused entry; if the channel falls, every number does.
  std::int64_t begin(std::int64_t channel, std::int64_t level) const;
  int compared_bits() const;  // with a sign
};

// For a legal Thresholds node. `offsets`: what its input lacks (requantise_sums.h). The stream
// gives the shape and the lanes.
ThresholdsPlan thresholds(const graph::Graph& graph, const graph::Node& node, const Stream& in,
                          const std::vector<std::int64_t>& offsets = {});

// The thresholds of a Conv that requantises its sums by its own rule, whatever that is. `lacks`:
// what each channel's sums lack besides bias and zero point; none: 0.
ThresholdsPlan thresholds_of_rules(const graph::Graph& graph, const graph::Node& node,
                                   const Stream& sums, const std::vector<std::int64_t>& lacks);

MachineOut<Hardware> build(Scope& s, const ThresholdsPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const ThresholdsPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
