// SPDX-License-Identifier: Apache-2.0
#include "backends/support/notice.h"

#include <cstdio>

namespace kumiki::backends {

void notice(std::string_view sentence) noexcept {
  std::fprintf(stderr, "kumiki: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
}

}  // namespace kumiki::backends
