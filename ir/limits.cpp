// SPDX-License-Identifier: Apache-2.0
#include "ir/limits.h"

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::ir {

Limits& limits() {
  static Limits all;
  return all;
}

void require_at_most(std::uint64_t limit, std::uint64_t wanted, std::string_view what,
                     std::string_view unit, std::string_view option) {
  if (wanted > limit)
    throw DesignError(fmt::format("{} has {} {}, more than the limit of {}: {} raises it", what,
                                  wanted, unit, limit, option));
}

}  // namespace kumiki::ir
