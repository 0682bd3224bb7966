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
  struct Number {
    std::uint32_t width;
    bool is_signed;
  };
  std::map<std::string, Number> numbers = {};  // ports that are several side by side
  std::vector<std::pair<std::string, std::int64_t>> constants = {};  // {"pixels latency", 11}
};

// Adds `<top>.h`.
void write_header(const ir::Names& names, OutputSet& out, const HeaderOptions& options);

}  // namespace kumiki::backends
