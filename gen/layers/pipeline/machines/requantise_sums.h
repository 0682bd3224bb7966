// SPDX-License-Identifier: Apache-2.0
// What machines that only multiply and add leave to those behind them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::pipeline {

// What the sums of every channel can be, and what they lack: sum + offset is the sum of the graph,
// with its bias and without the zero points of the input. Of Conv and GlobalAverage.
struct ChannelSums {
  arith::Interval sums;
  std::int64_t offset = 0;
  bool operator==(const ChannelSums&) const = default;
};
std::vector<ChannelSums> sums_of(const graph::Graph& graph, const graph::Node& node);

// Whether the sums of a Conv or GlobalAverage are its numbers, all but an offset, its zero point in
// it: then there is nothing to requantise, and the offsets are for what reads them.
std::optional<std::vector<std::int64_t>> offsets_of(const graph::Graph& graph,
                                                    const graph::Node& node);
// Whether those sums are the numbers as they are.
bool are_all_zero(const std::vector<std::int64_t>& offsets);
// The format in which such sums go on as the numbers of a tensor. Up to 8 bits it is the tensor's
// own, which its readers are built for. Readers of wider tensors take fewer bits as well.
arith::Format as_numbers(const arith::Format& sums, const arith::Format& tensor);

}  // namespace kumiki::gen::pipeline
