// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "gen/flow/sweep/messages.h"
#include "ir/error.h"

namespace kumiki::flow::sweep {

// A literal, a name, or an operator with its operands.
struct Expression::Node {
  enum class Kind { literal, name, unary, binary } kind;
  std::string word = {};  // for a name or an operator
  Json literal = {};
  std::vector<Node> operands = {};
};

namespace {

using Tree = Expression::Node;

constexpr int deepest = 64;  // nested brackets and signs

[[noreturn]] void fail(const std::string& message) {
  throw DesignError(code::wrong_expression, message);
}

bool is_inside_character(char c) { return (c & 0xc0) == 0x80; }  // in UTF-8
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& names) : text_(text), names_(names) {}

  Tree whole() {
    Tree all = disjunction();
    if (!at_end()) expected("an operator or the end");
    return all;
  }

 private:
  [[noreturn]] void expected(std::string_view what) {
    skip();
    std::string_view near = text_.substr(at_, 12);
    // Do not cut a character in half.
    while (at_ + near.size() < text_.size() && is_inside_character(text_[at_ + near.size()]))
      near.remove_suffix(1);
    const std::string there = at_ == text_.size() ? "ends" : fmt::format("has \"{}\"", near);
    fail(fmt::format("{} at character {}, but needs {} there", there, at_ + 1, what));
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  bool take(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  // The first matching sign; longer signs precede their own prefixes.
  std::string_view take_one(std::initializer_list<std::string_view> signs) {
    for (const std::string_view sign : signs)
      if (take(sign)) return sign;
    return {};
  }

  static Tree binary(std::string_view sign, Tree left, Tree right) {
    Tree n{.kind = Tree::Kind::binary, .word = std::string(sign)};
    n.operands.push_back(std::move(left));
    n.operands.push_back(std::move(right));
    return n;
  }

  Tree left_to_right(std::initializer_list<std::string_view> signs, Tree (Parser::*next)()) {
    Tree left = (this->*next)();
    for (std::string_view sign; !(sign = take_one(signs)).empty();)
      left = binary(sign, std::move(left), (this->*next)());
    return left;
  }
  Tree disjunction() { return left_to_right({"||"}, &Parser::conjunction); }
  Tree conjunction() { return left_to_right({"&&"}, &Parser::order); }
  Tree sum() { return left_to_right({"+", "-"}, &Parser::term); }
  Tree term() { return left_to_right({"*", "/", "%"}, &Parser::unary); }

  Tree order() {
    const auto relation = [&] { return take_one({"==", "!=", "<=", ">=", "<", ">"}); };
    Tree left = sum();
    const std::string_view sign = relation();
    if (sign.empty()) return left;
    left = binary(sign, std::move(left), sum());
    if (const auto second = relation(); !second.empty())
      fail(fmt::format("compares twice near character {}; write \"a < b && b < c\"",
                       at_ - second.size() + 1));
    return left;
  }

  Tree unary() {
    if (++depth_ > deepest) fail(fmt::format("is nested deeper than {}", deepest));
    Tree n = operand();
    --depth_;
    return n;
  }

  Tree operand() {
    // "!=" does not begin an operand.
    skip();
    const bool differs = text_.substr(at_).starts_with("!=");
    if (const auto sign = differs ? std::string_view() : take_one({"!", "-"}); !sign.empty()) {
      Tree n{.kind = Tree::Kind::unary, .word = std::string(sign)};
      n.operands.push_back(unary());
      return n;
    }
    if (take("(")) {
      Tree inner = disjunction();
      if (!take(")")) expected("\")\"");
      return inner;
    }
    if (take("'")) return text();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    if (at_ < text_.size() && is_word(text_[at_])) return name();
    expected("a number, a 'text', a name, \"!\", \"-\" or \"(\"");
  }

  Tree text() {
    const auto end = text_.find('\'', at_);
    if (end == std::string_view::npos)
      fail(fmt::format("has a text without an end at character {}; close it with '", at_));
    Tree n{.kind = Tree::Kind::literal, .literal = std::string(text_.substr(at_, end - at_))};
    at_ = end + 1;
    return n;
  }

  Tree number() {
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    std::int64_t whole = 0;
    double real = 0;
    const auto as_whole = std::from_chars(begin, end, whole);
    const auto as_real = std::from_chars(begin, end, real);
    const bool is_whole = as_whole.ec == std::errc() && as_whole.ptr == as_real.ptr;
    at_ += static_cast<std::size_t>(as_real.ptr - begin);
    if (as_real.ec != std::errc() || (at_ < text_.size() && is_word(text_[at_])))
      fail(fmt::format("has a malformed number near character {}", at_ + 1));
    return {.kind = Tree::Kind::literal, .literal = is_whole ? Json(whole) : Json(real)};
  }

  Tree name() {
    const auto begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    if (word == "true" || word == "false")
      return {.kind = Tree::Kind::literal, .literal = word == "true"};
    if (std::ranges::find(names_, word) == names_.end()) names_.push_back(word);
    return {.kind = Tree::Kind::name, .word = std::move(word)};
  }

  std::string_view text_;
  std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

class Evaluation {
 public:
  explicit Evaluation(const ValueOf& value_of) : value_of_(value_of) {}

  Json of(const Tree& n) const {
    switch (n.kind) {
      case Tree::Kind::literal:
        return n.literal;
      case Tree::Kind::name:
        return value_of_(n.word);
      case Tree::Kind::unary:
        return n.word == "!" ? Json(!truth(n.operands[0]))
                             : arithmetic("-", Json(0), of(n.operands[0]));
      case Tree::Kind::binary:
        break;
    }
    // The right operand is not evaluated if the left one decides.
    if (n.word == "||") return truth(n.operands[0]) || truth(n.operands[1]);
    if (n.word == "&&") return truth(n.operands[0]) && truth(n.operands[1]);
    const Json left = of(n.operands[0]), right = of(n.operands[1]);
    if (std::string_view("+-*/%").find(n.word) != std::string_view::npos)
      return arithmetic(n.word, left, right);
    return compared(n.word, left, right);
  }

  bool truth(const Tree& n) const {
    const Json value = of(n);
    if (value.is_null()) return false;
    if (!value.is_boolean())
      fail(fmt::format("has {}, but needs true or false there", value.dump()));
    return value.get<bool>();
  }

 private:
  static Json arithmetic(const std::string& sign, const Json& left, const Json& right) {
    if (left.is_null() || right.is_null()) return nullptr;
    if (!left.is_number() || !right.is_number())
      fail(fmt::format("has {} {} {}; both must be numbers", left.dump(), sign, right.dump()));
    if (left.is_number_integer() && right.is_number_integer() && sign != "/")
      return whole(sign[0], integer(left), integer(right));
    const double a = left.get<double>(), b = right.get<double>();
    if ((sign == "/" || sign == "%") && b == 0) return nullptr;
    switch (sign[0]) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return a / b;
      default:
        return std::fmod(a, b);
    }
  }

  // Holds 64-bit integers, signed or unsigned.
  // NOLINTNEXTLINE(modernize-use-using): __extension__ stands before no using
  __extension__ typedef __int128 Integer;
  static Integer integer(const Json& number) {
    if (number.is_number_unsigned()) return number.get<std::uint64_t>();
    return number.get<std::int64_t>();
  }

  static Json whole(char sign, Integer a, Integer b) {
    Integer result = 0;
    bool overflows = false;
    if (sign == '+') overflows = __builtin_add_overflow(a, b, &result);
    if (sign == '-') overflows = __builtin_sub_overflow(a, b, &result);
    if (sign == '*') overflows = __builtin_mul_overflow(a, b, &result);
    if (sign == '%') {
      if (b == 0) return nullptr;
      result = b == -1 ? 0 : a % b;
    }
    if (result >= INT64_MIN && result <= INT64_MAX && !overflows)
      return static_cast<std::int64_t>(result);
    if (overflows || result < 0 || result > Integer{UINT64_MAX})
      fail("leaves the range of 64 bits");
    return static_cast<std::uint64_t>(result);
  }

  static Json compared(const std::string& sign, const Json& left, const Json& right) {
    if (left.is_null() || right.is_null()) return false;
    const bool numbers = left.is_number() && right.is_number();
    const bool alike = numbers || left.type() == right.type();
    const bool ordered = numbers || (left.is_string() && right.is_string());
    const bool asks_order = sign != "==" && sign != "!=";
    if (!alike || (asks_order && !ordered))
      fail(fmt::format("compares {} {} {}; both must be numbers, or both texts", left.dump(), sign,
                       right.dump()));
    if (left.is_number_integer() && right.is_number_integer())
      return related(sign, integer(left), integer(right));
    return related(sign, left, right);
  }

  template <class T>
  static bool related(const std::string& sign, const T& left, const T& right) {
    if (sign == "==") return left == right;
    if (sign == "!=") return left != right;
    if (sign == "<") return left < right;
    if (sign == "<=") return left <= right;
    if (sign == ">") return left > right;
    return left >= right;
  }

  const ValueOf& value_of_;
};

}  // namespace

Expression::Expression(std::string text) : text_(std::move(text)) {
  root_ = std::make_shared<const Node>(Parser(text_, names_).whole());
}

bool Expression::holds(const ValueOf& value_of) const { return Evaluation(value_of).truth(*root_); }

}  // namespace kumiki::flow::sweep
