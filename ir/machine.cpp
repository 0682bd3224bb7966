// SPDX-License-Identifier: Apache-2.0
#include "ir/machine.h"

namespace kumiki::ir {

PortLayout layout(const Module& top) {
  PortLayout all;
  for (const Port& p : top.ports()) {
    auto name = top.design().text(p.name);
    bool input = p.direction == Direction::input;
    if (input && is_clock_port(name)) continue;
    auto& limbs = input ? all.input_limbs : all.output_limbs;
    PortSlot slot{std::string(name), p.width, p.is_signed, limbs};
    limbs += slot.limbs();
    (input ? all.inputs : all.outputs).push_back(std::move(slot));
  }
  return all;
}

}  // namespace kumiki::ir
