// SPDX-License-Identifier: Apache-2.0
// Options that take a number. Each has a range, which --help shows; a value outside is refused with
// the range. There is no other way to declare one.
#pragma once
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace kumiki::cli {

namespace detail {

template <class T>
struct NumberOf {
  using type = T;
};
template <class T>
struct NumberOf<std::optional<T>> : NumberOf<T> {};
template <class T>
struct NumberOf<std::vector<T>> : NumberOf<T> {};

// Strict: no sign for unsigned types, nothing after the number, no overflow.
template <class N>
bool reads(const std::string& text, N& number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

}  // namespace detail

template <class T>
struct Range {
  T low, high;
};

inline constexpr Range<std::uint64_t> any_seed{0, std::numeric_limits<std::uint64_t>::max()};

template <class Target, class N = typename detail::NumberOf<Target>::type>
CLI::Option* number(CLI::App& app, const std::string& name, Target& target,
                    std::type_identity_t<Range<N>> range, const std::string& help) {
  const auto check = [range](std::string& text) -> std::string {
    N number{};
    if (detail::reads(text, number) && number >= range.low && number <= range.high) return {};
    return fmt::format("must be a {}number from {} to {}; got \"{}\"",
                       std::is_integral_v<N> ? "whole " : "", range.low, range.high, text);
  };
  // A check without a name adds nothing to the name of the type.
  return app.add_option(name, target, help)
      ->type_name(fmt::format("{}..{}", range.low, range.high))
      ->check(CLI::Validator(check, ""));
}

}  // namespace kumiki::cli
