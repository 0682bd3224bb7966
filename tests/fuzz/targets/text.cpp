// SPDX-License-Identifier: Apache-2.0
#include "ir/text.h"

#include "ir/check.h"
#include "ir/error.h"
#include "tests/fuzz/targets/targets.h"

namespace kumiki::fuzz {

void text(std::string_view bytes) {
  std::string once;
  try {
    const auto design = ir::parse(bytes);
    once = ir::print(*design);
    (void)ir::check(*design);
  } catch (const DesignError&) {
    return;
  }
  require(ir::print(*ir::parse(once)) == once, "the text form reads as another design");
}

}  // namespace kumiki::fuzz
