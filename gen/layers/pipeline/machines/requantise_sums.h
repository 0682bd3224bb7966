// SPDX-License-Identifier: Apache-2.0
// What machines that only multiply and add leave to the machines behind them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "gen/blocks/requant/requantiser.h"
#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/island.h"

namespace kumiki::gen::pipeline {

// The channels of a Conv or GlobalAverage. Its machine makes accumulators: the sums of the graph
// without the bias, and with the zero points of the input.
std::vector<requant::Channel> channels_of(const graph::Graph& graph, const graph::Node& node);

// The offsets if the sums of a Conv or GlobalAverage are its numbers except for an offset, which
// includes the zero point. Then nothing needs requantisation; the reader applies the offsets.
std::optional<std::vector<std::int64_t>> offsets_of(const graph::Graph& graph,
                                                    const graph::Node& node);
// Whether these sums are the numbers without any offset.
bool are_all_zero(const std::vector<std::int64_t>& offsets);
// The format of such sums as the numbers of a tensor. Up to 8 bits it is the tensor's own format,
// for which its readers are built. Readers of wider tensors also take fewer bits.
arith::Format as_numbers(const arith::Format& sums, const arith::Format& tensor);

// The passes in which the channels of a tensor come in this stream.
Passes passes_of(const Stream& stream, const graph::Tensor& tensor);

}  // namespace kumiki::gen::pipeline
