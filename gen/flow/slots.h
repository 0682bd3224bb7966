// SPDX-License-Identifier: Apache-2.0
// Ports of a layout by their names.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include "ir/machine.h"

namespace kumiki::flow {

// Null: no port has that name.
inline const ir::PortSlot* find_slot(const std::vector<ir::PortSlot>& slots,
                                     std::string_view name) {
  const auto at = std::ranges::find(slots, name, &ir::PortSlot::name);
  return at == slots.end() ? nullptr : &*at;
}

}  // namespace kumiki::flow
