// SPDX-License-Identifier: Apache-2.0
// A condition over named values, as used in `where`: "slices < 512 || scheme == 'shared-drain'".
//
//   or    = and { "||" and }          and   = order { "&&" order }
//   order = sum [ relation sum ]      relation: == != < <= > >=
//   sum   = term { ("+" | "-") term } term  = unary { ("*" | "/" | "%") unary }
//   unary = ("!" | "-") unary | number | 'text' | true | false | name | "(" or ")"
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::flow::sweep {

using Json = nlohmann::ordered_json;
// The value of a name; null if it has none.
using ValueOf = std::function<Json(const std::string& name)>;

class Expression {
 public:
  // DesignError: what is wrong, and at which character.
  explicit Expression(std::string text);

  const std::string& text() const { return text_; }
  const std::vector<std::string>& names() const { return names_; }  // each once, in order

  // No condition holds for a missing value. DesignError: incomparable kinds, a division by zero, or
  // a result that is neither true nor false.
  bool holds(const ValueOf& value_of) const;

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
  std::vector<std::string> names_;
};

}  // namespace kumiki::flow::sweep
