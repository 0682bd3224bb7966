// SPDX-License-Identifier: Apache-2.0
// A netlist in the text form of ir/text.h, and what edits have taken from it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gen/flow/reduce/search.h"
#include "ir/design.h"

namespace kumiki::reduction {

struct NetlistText {
  struct Module {
    bool gone = false, without_names = false;
    std::map<std::uint32_t, ir::Net> cells;  // that are gone, and what their outputs are instead
    std::map<std::uint32_t, ir::Net> pins;   // nets of Module::all_inputs() that are constant now
    std::set<std::uint32_t> ports;           // that are gone
    // Bits of ports that are constant now: port, bit.
    std::map<std::pair<std::uint32_t, std::size_t>, ir::Net> outputs;
  };
  std::shared_ptr<const ir::Design> read;
  std::vector<Module> modules;
};

NetlistText netlist_text(const std::string& text);  // DesignError
std::string to_text(const NetlistText& netlist);
std::size_t count(const NetlistText& netlist);  // cells

// Takes away modules, cells (their outputs become constant), what pins and outputs read, ports of
// the top and names, until nothing helps.
void shrink(NetlistText& best, Search& search);

}  // namespace kumiki::reduction
