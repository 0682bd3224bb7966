// SPDX-License-Identifier: Apache-2.0
// Memory cells are written as inferred RAM: one small module for each shape and contents, with one
// instance for each cell. A memory that is never written is a ROM and has no write port.
#pragma once
#include <deque>
#include <string>
#include <unordered_map>

#include "backends/support/text.h"
#include "ir/names.h"

namespace kumiki::backends::verilog {

struct MemoryModule {
  std::string name;
  std::string body;              // the text after the name
  std::vector<unsigned> inputs;  // pins of the cell that are ports
};

class MemoryModules {
 public:
  // Names depend on the order of the cells in the design and on the names of its modules.
  explicit MemoryModules(const ir::Names& names);

  const MemoryModule& of(const ir::Cell& cell) const;
  const std::deque<MemoryModule>& all() const { return all_; }

 private:
  std::deque<MemoryModule> all_;
  std::unordered_map<const ir::Cell*, const MemoryModule*> of_;
};

}  // namespace kumiki::backends::verilog
