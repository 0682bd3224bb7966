// SPDX-License-Identifier: Apache-2.0
// A C header for software that uses the netlist: its ports, and how to pack numbers into them.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

struct HeaderOptions {
  std::string generator = {};
  // Numbers of one width side by side on a port, or on a named part of it. A port without an entry
  // is one number.
  struct Numbers {
    std::uint32_t width;
    bool is_signed;
    std::string part = {};
    std::uint32_t low = 0, bits = 0;  // 0 bits: to the end of the port
  };
  std::map<std::string, std::vector<Numbers>> numbers = {};
  std::vector<std::pair<std::string, std::int64_t>> constants = {};  // {"pixels latency", 11}
  // Notes for software about a layer: {"pixels", {"in_data: lines of a frame", ...}}.
  std::vector<std::pair<std::string, std::vector<std::string>>> notes = {};
  // Functions after the header's own, which they may call.
  struct Functions {
    std::string comment, code;
  };
  std::vector<Functions> functions = {};
};

// The start of the header's function names: a Verilog name as a C identifier.
std::string c_identifier(std::string_view verilog);

std::string in_capitals(std::string text);

// Adds `<top>.h`.
void write_header(const ir::Names& names, OutputSet& out, const HeaderOptions& options);

}  // namespace kumiki::backends
