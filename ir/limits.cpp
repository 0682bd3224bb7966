// SPDX-License-Identifier: Apache-2.0
#include "ir/limits.h"

#include <fmt/format.h>

#include <vector>

#include "ir/design.h"

namespace kumiki::ir {

void require_at_most(std::uint64_t limit, std::uint64_t wanted, std::string_view what,
                     std::string_view unit, std::string_view option) {
  if (wanted > limit)
    throw LimitError(code::over_limit,
                     fmt::format("{} has {} {}, more than the limit of {}; raise it with {}", what,
                                 wanted, unit, limit, option));
}

void require_few_cells(const Design& design) {
  std::vector<std::uint64_t> of(design.module_count(), 0);
  for (const ModuleId id : design.bottom_up())
    for (const Cell& c : design.module(id).cells())
      of[id.value] += c.kind == Kind::instance ? of[c.params] : c.width;
  require_at_most(design.limits().cells, of[design.top_id().value], "the netlist", "cells",
                  "--max-cells");
}

}  // namespace kumiki::ir
