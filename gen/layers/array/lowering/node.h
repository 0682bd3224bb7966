// SPDX-License-Identifier: Apache-2.0
// Turns a node of a graph into a layer of an array.
#pragma once
#include <optional>
#include <string>

#include "gen/graph/graph.h"
#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

// The number to subtract so that a tensor's numbers become signed and fit so many bits: 0, or half
// of their range. Empty: they are too wide.
std::optional<int> offset_of(const graph::Tensor& tensor, int bits);

struct NodeLayer {
  std::optional<NetworkLayer> layer;  // without its name and the source of its input
  std::string why;                    // without a layer: the reason; otherwise how the node was
                                      // changed, or ""
  int output_offset = 0;              // subtracted from the graph's results
};

// For Conv: a fully connected layer if the window is the whole map, which is never slower;
// otherwise a convolution, whose kernel is embedded in a square one with zeros. If results have
// more bits than the array, the reached range counts.
NodeLayer layer_of_conv(const graph::Graph& graph, const graph::Node& node, int data_bits,
                        int coefficient_bits);
// For Conv and the Thresholds node that is its only reader. The thresholds become a scale, a factor
// of the weights and an addend of the bias for each channel (arith::stepped_rule); this is exact or
// refused. Channels that fall negate their weights.
NodeLayer layer_of_steps(const graph::Graph& graph, const graph::Node& conv,
                         const graph::Node& thresholds, int data_bits, int coefficient_bits);
// For GlobalAverage: a convolution in groups of one channel with weights of 1. There is one result,
// so the stride is free: the smallest one that needs at most this reach.
NodeLayer layer_of_average(const graph::Graph& graph, const graph::Node& node, int data_bits,
                           std::int64_t reach);
// MaxPool as pooling in the previous layer, or the reason against it.
struct Pooling {
  std::optional<PoolRequest> pool;
  std::string why;
};
Pooling pooling_of(const graph::Graph& graph, const graph::Node& node, const Request& request);

}  // namespace kumiki::gen::array
