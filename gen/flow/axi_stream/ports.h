// SPDX-License-Identifier: Apache-2.0
// The mapping between the ports of a layer and those of its wrapper.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/machine.h"

namespace kumiki::gen::axi_stream {

inline constexpr const char* reset_port = "aresetn";

// Indices of the layer's inputs or outputs in its layout.
struct Stream {
  std::string name;      // "in"
  bool goes_in = false;  // into the layer
  std::size_t valid = 0, ready = 0;
  std::optional<std::size_t> data, last;
  std::string prefix() const { return (goes_in ? "s_axis_" : "m_axis_") + name + "_"; }
};

struct Ports {
  ir::PortLayout inner, outer;
  std::size_t reset = 0;  // index among the layer's inputs
  std::vector<Stream> streams;
  // The wrapper's port for every port of the layer. The layer's reset is the wrapper's, inverted.
  std::vector<std::size_t> input, output;
};

// Empty if a layer with these ports has no streams.
std::optional<Ports> wrapped_ports(const ir::PortLayout& inner);

inline std::uint32_t whole_bytes(std::uint32_t bits) { return (bits + 7) / 8 * 8; }

}  // namespace kumiki::gen::axi_stream
