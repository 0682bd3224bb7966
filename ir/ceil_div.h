// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

namespace kumiki {

// Division that rounds up, also for negative numerators.
template <class A, class B>
constexpr std::common_type_t<A, B> ceil_div(A a, B b) {
  const std::common_type_t<A, B> n = a, d = b;
  return n / d + (n % d != 0 && (n < 0) == (d < 0) ? 1 : 0);
}

}  // namespace kumiki
