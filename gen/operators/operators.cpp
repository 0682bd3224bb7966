// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/operators.h"

#include <fmt/format.h>

namespace kumiki::gen::graph {

std::string_view name_of(const Operator& op) {
  return std::visit([]<class Op>(const Op&) { return Op::name; }, op);
}

std::string with_article(const Operator& op) {
  const std::string_view name = name_of(op);
  const bool is_vowel = std::string_view("aeiou").find(name.front()) != std::string_view::npos;
  return fmt::format("{} {}", is_vowel ? "an" : "a", name);
}

bool hands_on(const Operator& op) {
  return std::visit([]<class Op>(const Op&) { return hands_on<Op>(); }, op);
}

bool is_free(const Operator& op) {
  return std::visit(
      []<class Op>(const Op&) {
        return requires { Op::is_free; };
      },
      op);
}

std::string_view left_to_host(const Operator& op) {
  return std::visit(
      []<class Op>(const Op&) -> std::string_view {
        if constexpr (requires { Op::left_to_host; })
          return Op::left_to_host;
        else
          return "no layer of the array";
      },
      op);
}

const Window* window_of(const Operator& op) {
  return std::visit(
      []<class Op>(const Op& o) -> const Window* {
        if constexpr (requires { o.window; })
          return &o.window;
        else
          return nullptr;
      },
      op);
}

std::vector<Operator> all_operators() {
  return []<class... Op>(std::type_identity<std::variant<Op...>>) {
    return std::vector<Operator>{Op{}...};
  }(std::type_identity<Operator>{});
}

}  // namespace kumiki::gen::graph
