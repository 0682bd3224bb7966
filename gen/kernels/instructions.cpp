// SPDX-License-Identifier: Apache-2.0
#include "gen/kernels/instructions.h"

namespace kumiki::gen::kernels {

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace kumiki::gen::kernels
