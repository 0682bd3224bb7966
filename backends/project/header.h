// SPDX-License-Identifier: Apache-2.0
// A C header for software beside the netlist: what its ports are, how numbers get into them.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backends/files.h"
#include "ir/names.h"

namespace kumiki::backends {

struct HeaderOptions {
  std::string generator = {};
  // Numbers of one width side by side on a port, or on a part of it that has a name. A port without
  // is one number.
  struct Numbers {
    std::uint32_t width;
    bool is_signed;
    std::string part = {};
    std::uint32_t low = 0, bits = 0;  // 0 bits: to the end of the port
  };
  std::map<std::string, std::vector<Numbers>> numbers = {};
  std::vector<std::pair<std::string, std::int64_t>> constants = {};  // {"pixels latency", 11}
};

// Adds `<top>.h`.
void write_header(const ir::Names& names, OutputSet& out, const HeaderOptions& options);

}  // namespace kumiki::backends
