// SPDX-License-Identifier: Apache-2.0
#include "ir/processors.h"

#include <sched.h>

#include <algorithm>

namespace kumiki::ir {

unsigned processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1U, static_cast<unsigned>(CPU_COUNT(&set)));
}

}  // namespace kumiki::ir
