// SPDX-License-Identifier: Apache-2.0
// A node of a graph as a layer of an array; what operators use to make one.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

struct NodeLayer {
  std::optional<NetworkLayer> layer;  // without its name and the source of its input
  std::string why;                    // without a layer: the reason; otherwise how the node was
                                      // changed, or ""
  int output_offset = 0;              // subtracted from the graph's results
};

// The number to subtract so that a tensor's numbers become signed and fit so many bits: 0, or half
// of their range. Empty: they are too wide.
std::optional<int> offset_of(const graph::Tensor& tensor, int bits);

// Sets the zero points and the bounds of a layer. False: the array cannot hold the numbers.
bool set_numbers(NodeLayer& out, NetworkLayer& layer, const graph::Tensor& from,
                 const graph::Tensor& to, int bits);

// The shortest form of the padding.
std::variant<std::int64_t, std::vector<std::int64_t>> padding_of(const std::array<int, 2>& before,
                                                                 const std::array<int, 2>& after);

std::string both(const std::array<int, 2>& a);  // "3x5"

}  // namespace kumiki::gen::array
