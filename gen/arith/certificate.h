// SPDX-License-Identifier: Apache-2.0
// The proof of a plan: one statement a line, each a comparison of exact intervals.
#pragma once
#include <string>
#include <vector>

#include "gen/arith/interval.h"

namespace kumiki::gen::arith {

enum class Relation { Within, AtMost, Equals };

struct Statement {
  std::string name;  // the bounded quantity: "low lane after 8 terms"
  Interval value;    // its possible values
  Relation relation = Relation::Within;
  Interval bound;         // its permitted values
  std::string otherwise;  // what would hold instead, for the message
  bool holds = false;
  std::string key = {};  // the field of the request that it concerns, if there is exactly one
  bool operator==(const Statement&) const = default;
};

class Certificate {
 public:
  // Each records the statement and returns whether it holds. A scheme continues after a failed one;
  // plan() refuses at the end.
  bool within(std::string name, const Interval& value, const Interval& bound,
              std::string otherwise = "", std::string key = "");
  bool at_most(std::string name, Exact value, Exact bound, std::string otherwise = "",
               std::string key = "");
  bool equals(std::string name, Exact value, Exact bound, std::string otherwise = "");

  bool holds() const { return first_broken() == nullptr; }
  const Statement* first_broken() const;
  const std::vector<Statement>& statements() const { return statements_; }

  bool operator==(const Certificate&) const = default;

 private:
  bool record(Statement statement);
  std::vector<Statement> statements_;
};

std::string to_string(Relation relation);
std::string to_string(const Statement& statement);  // "low lane after 7 terms: [..] within [..]"

}  // namespace kumiki::gen::arith
