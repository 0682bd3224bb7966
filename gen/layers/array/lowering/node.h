// SPDX-License-Identifier: Apache-2.0
// A node of a graph as a layer of an array.
#pragma once
#include <optional>
#include <string>

#include "gen/graph/graph.h"
#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

// What is taken off the numbers of a tensor so that they have a sign and so many bits: 0, or half
// of their range. None: they are too wide.
std::optional<int> offset_of(const graph::Tensor& tensor, int bits);

struct NodeLayer {
  std::optional<NetworkLayer> layer;  // without a name and where its input comes from
  std::string why;                    // without a layer: why not; else what was done to it, or ""
  int output_offset = 0;              // what its results are less than those of the graph
};

// Of Conv: a fully connected layer where the window is the whole map, which is never slower; else a
// convolution, whose kernel is laid into a square one with taps of 0 where it is none.
// Results of more bits than the array has are those that are reached, if these fit.
NodeLayer layer_of_conv(const graph::Graph& graph, const graph::Node& node, int data_bits,
                        int coefficient_bits);
// Of Conv and the Thresholds that alone read its results: their steps become a scale, a factor of
// the weights and an addend of the bias for each channel (arith::stepped_rule), which is exact or
// none. The weights of channels that fall are negated.
NodeLayer layer_of_steps(const graph::Graph& graph, const graph::Node& conv,
                         const graph::Node& thresholds, int data_bits, int coefficient_bits);
// Of GlobalAverage: a convolution channel by channel with weights of 1. There is one result, so
// that its stride is free: the least that asks for no more than this reach.
NodeLayer layer_of_average(const graph::Graph& graph, const graph::Node& node, int data_bits,
                           std::int64_t reach);
// MaxPool as the layer before it pools its results; or why not.
struct Pooling {
  std::optional<PoolRequest> pool;
  std::string why;
};
Pooling pooling_of(const graph::Graph& graph, const graph::Node& node, const Request& request);

}  // namespace kumiki::gen::array
