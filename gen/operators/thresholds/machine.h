// SPDX-License-Identifier: Apache-2.0
// Numbers become numbers of few bits by where the next one begins, channel by channel
// (graph::Thresholds). A lane looks for its result bit by bit, a comparison each: the bits that are
// known and the block of channels choose what the next one is compared with.
#pragma once
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/island.h"

namespace kumiki::gen::pipeline {

struct ThresholdsPlan {
  Stream in;
  graph::Thresholds thresholds;       // of what comes in and its offset
  std::vector<std::int64_t> offsets;  // [channel]; none: 0. They cost nothing.
  arith::Format numbers;
  std::vector<Stream> inputs() const { return {in}; }
  Stream output() const;
  std::int64_t interval() const { return in.beats(); }
  std::int64_t slices() const { return 0; }
  int latency() const;
  int levels() const { return 3; }
  std::string kind() const { return "thresholds"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ThresholdsPlan&) const = default;

  int steps() const;  // bits of the results less the lowest one
  bool falls(std::int64_t channel) const;
  // Entry `level` of the 2^steps - 1 that a channel's numbers are compared with, the lowest first.
  // Those without a level of their own are what no number reaches, or what every one does where the
  // channel falls.
  std::int64_t begin(std::int64_t channel, std::int64_t level) const;
  int compared_bits() const;  // with a sign
};

// Of a legal Thresholds node; `offsets` is what its input lacks (requantise_sums.h). The shape and
// the lanes are those of the stream.
ThresholdsPlan thresholds(const graph::Graph& graph, const graph::Node& node, const Stream& in,
                          const std::vector<std::int64_t>& offsets = {});

// Of a Conv whose sums become numbers by its own rule, whatever that is: where they begin. `lacks`:
// what every channel's sums lack beside bias and zero point; none: 0.
ThresholdsPlan thresholds_of_rules(const graph::Graph& graph, const graph::Node& node,
                                   const Stream& sums, const std::vector<std::int64_t>& lacks);

MachineOut<Hardware> build(Scope& s, const ThresholdsPlan& plan, const MachineIn<Hardware>& in);
std::unique_ptr<Counts> counts_of(const ThresholdsPlan& plan);

class ThresholdsModel : public IslandModel {
 public:
  explicit ThresholdsModel(const ThresholdsPlan& plan)
      : IslandModel(plan.in, plan.latency()), plan_(plan) {}

 private:
  std::vector<std::uint64_t> results(const std::vector<std::uint64_t>& numbers,
                                     std::int64_t block) const override;
  ThresholdsPlan plan_;
};

}  // namespace kumiki::gen::pipeline
