// SPDX-License-Identifier: Apache-2.0
// Truth tables from lambdas: nobody writes an INIT by hand.
#pragma once
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace kumiki::gen {

// A function of up to six bits, or with `both` two functions of the same five bits. `bits` is the
// INIT of a LUT6_2: O6 in the upper half with I5 = 1, O5 in the lower.
struct Table {
  std::uint64_t bits = 0;
  unsigned inputs = 0;
  bool both = false;

  bool at(unsigned index) const { return bits >> index & 1; }
};

struct Pair {
  bool o6, o5;
};
constexpr Pair pair(bool o6, bool o5) { return {o6, o5}; }

namespace detail {

template <class F, std::size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
  return std::is_invocable_v<F, decltype((void)i, true)...>;
}

template <class F>
constexpr unsigned arity() {
  if constexpr (takes<F>(std::make_index_sequence<1>{}))
    return 1;
  else if constexpr (takes<F>(std::make_index_sequence<2>{}))
    return 2;
  else if constexpr (takes<F>(std::make_index_sequence<3>{}))
    return 3;
  else if constexpr (takes<F>(std::make_index_sequence<4>{}))
    return 4;
  else if constexpr (takes<F>(std::make_index_sequence<5>{}))
    return 5;
  else if constexpr (takes<F>(std::make_index_sequence<6>{}))
    return 6;
  else
    return 0;
}

template <class F, std::size_t... i>
constexpr auto call(const F& f, unsigned index, std::index_sequence<i...>) {
  return f(((index >> i & 1) != 0)...);
}

}  // namespace detail

// The first parameter of the lambda is I0, the least significant bit of the index.
template <class F>
constexpr Table table(const F& f) {
  constexpr unsigned k = detail::arity<F>();
  static_assert(k != 0, "a truth table is a function of one to six bools");
  using Result = decltype(detail::call(f, 0, std::make_index_sequence<k>{}));
  Table t{.inputs = k, .both = std::is_same_v<Result, Pair>};
  for (unsigned i = 0; i < 1u << k; ++i) {
    auto value = detail::call(f, i, std::make_index_sequence<k>{});
    if constexpr (std::is_same_v<Result, Pair>) {
      static_assert(k <= 5, "two functions in one LUT share five inputs");
      t.bits |= std::uint64_t{value.o6} << (32 + i) | std::uint64_t{value.o5} << i;
    } else {
      t.bits |= std::uint64_t{value != 0} << i;  // a ^ b of bools is an int
    }
  }
  return t;
}

}  // namespace kumiki::gen
