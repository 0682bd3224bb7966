// SPDX-License-Identifier: Apache-2.0
// Any monotone function of one number, channel by channel, as a list of thresholds where the next
// result begins. The result is `lowest` plus the number of the channel's thresholds that are at
// most x, or above x if the channel falls. Results that never occur begin where the next one does.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct Thresholds {
  static constexpr std::string_view name = "thresholds";
  static constexpr std::string_view left_to_host = "thresholds of every channel";
  int lowest = 0;
  int levels = 1;                     // number of results - 1
  std::vector<std::int32_t> begins;   // [channel][level], or [level] for all channels
  std::vector<std::uint8_t> falling;  // [channel], 0 or 1; none: no channel falls
  friend bool operator==(const Thresholds&, const Thresholds&) = default;

  bool falls(std::size_t channel) const { return !falling.empty() && falling[channel] != 0; }
  std::int32_t at(std::size_t channel, std::int64_t x) const;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.number("lowest", self.lowest);
    f.number("levels", self.levels);
    f.list("begins", self.begins);
    f.list("falling", self.falling);
  }
};

void check(const Thresholds& op, NodeCheck& node);
Compute computer(const Thresholds& op, const Ends& ends);
arith::Interval reached(const Thresholds& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::Thresholds& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::engine {

class Lowerer;
struct Job;
std::string no_unit(const graph::Graph& graph, const graph::Node& node,
                    const graph::Thresholds& op);
void to_engine(Lowerer& lowerer, const Job& job, const graph::Thresholds& op);

}  // namespace kumiki::gen::engine

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::Thresholds>);

}  // namespace kumiki::gen::onnx
