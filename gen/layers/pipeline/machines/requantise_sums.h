// SPDX-License-Identifier: Apache-2.0
// What machines that only multiply and add leave to the machines behind them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::pipeline {

// The range of a channel's sums and what they lack: sum + offset is the sum of the graph, with its
// bias and without the zero points of the input. For Conv and GlobalAverage.
struct ChannelSums {
  arith::Interval sums;
  std::int64_t offset = 0;
  bool operator==(const ChannelSums&) const = default;
};
std::vector<ChannelSums> sums_of(const graph::Graph& graph, const graph::Node& node);

// The offsets if the sums of a Conv or GlobalAverage are its numbers except for an offset, which
// includes the zero point. Then nothing needs requantisation; the reader applies the offsets.
std::optional<std::vector<std::int64_t>> offsets_of(const graph::Graph& graph,
                                                    const graph::Node& node);
// Whether these sums are the numbers without any offset.
bool are_all_zero(const std::vector<std::int64_t>& offsets);
// The format of such sums as the numbers of a tensor. Up to 8 bits it is the tensor's own format,
// for which its readers are built. Readers of wider tensors also take fewer bits.
arith::Format as_numbers(const arith::Format& sums, const arith::Format& tensor);

}  // namespace kumiki::gen::pipeline
