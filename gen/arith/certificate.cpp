// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/certificate.h"

#include <fmt/format.h>

namespace kumiki::gen::arith {

std::string to_string(Exact value) {
  const bool negative = value < 0;
  std::string digits;
  // Take digits from the negative number: the negative range is one larger.
  Exact rest = negative ? value : -value;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' - static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return negative ? "-" + digits : digits;
}

std::string to_string(const Interval& value) {
  if (value.lo == value.hi) return to_string(value.lo);
  return fmt::format("[{}, {}]", to_string(value.lo), to_string(value.hi));
}

std::string to_string(Relation relation) {
  switch (relation) {
    case Relation::Within:
      return "within";
    case Relation::AtMost:
      return "at most";
    case Relation::Equals:
      return "equals";
  }
  return "?";
}

std::string to_string(const Statement& s) {
  return fmt::format("{}: {} {}{} {}", s.name, to_string(s.value), s.holds ? "" : "not ",
                     to_string(s.relation), to_string(s.bound));
}

bool Certificate::record(Statement statement) {
  const bool holds = statement.holds;
  statements_.push_back(std::move(statement));
  return holds;
}

bool Certificate::within(std::string name, const Interval& value, const Interval& bound,
                         std::string otherwise, std::string key) {
  return record({std::move(name), value, Relation::Within, bound, std::move(otherwise),
                 value.within(bound), std::move(key)});
}

bool Certificate::at_most(std::string name, Exact value, Exact bound, std::string otherwise,
                          std::string key) {
  return record({std::move(name), Interval::point(value), Relation::AtMost, Interval::point(bound),
                 std::move(otherwise), value <= bound, std::move(key)});
}

bool Certificate::equals(std::string name, Exact value, Exact bound, std::string otherwise) {
  return record({std::move(name), Interval::point(value), Relation::Equals, Interval::point(bound),
                 std::move(otherwise), value == bound});
}

const Statement* Certificate::first_broken() const {
  for (const auto& statement : statements_)
    if (!statement.holds) return &statement;
  return nullptr;
}

}  // namespace kumiki::gen::arith
