// SPDX-License-Identifier: Apache-2.0
// The limits above which a request is refused. A request made by mistake must end with a message,
// and not use up all memory or take an hour. The limits are counts and not seconds, so all machines
// refuse the same requests. The program has an option for each.
#pragma once
#include <cstdint>
#include <string_view>

#include "ir/error.h"

namespace kumiki::ir {

struct Limits {
  std::uint64_t cells = 4'000'000;     // of a design (--max-cells)
  std::uint64_t heap_bits = 20'000;    // added by one compressor tree (--max-heap-bits)
  std::uint64_t weights = 16'000'000;  // embedded in a layer (--max-weights)
  std::uint64_t layers = 1'000;        // of a configuration: each is planned, which takes time
                                       // (--max-layers)
};

// The request needs more than a limit allows.
struct LimitError : DesignError {
  using DesignError::DesignError;
};

// LimitError: "what has N bits, more than the limit of M (--max-heap-bits raises it)".
void require_at_most(std::uint64_t limit, std::uint64_t wanted, std::string_view what,
                     std::string_view unit, std::string_view option);

// The same for all cells of a netlist, counted as in a report: with the cells of every placement of
// a module, and every element of a vector cell.
class Design;
void require_few_cells(const Design& design);

}  // namespace kumiki::ir
