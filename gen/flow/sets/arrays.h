// SPDX-License-Identifier: Apache-2.0
// Arrays in memory as operands of sets, and results as arrays.
#pragma once
#include <map>
#include <string>

#include "gen/config/array_file.h"
#include "gen/flow/sets/sets.h"

namespace kumiki::flow {

struct Filled {
  Sets::Arrays numbers;
  std::size_t count = 0;  // sets
};
// One array for each operand, by name: with the sets as first axis, or a single set. UsageError: a
// missing or unknown operand, a wrong shape, no integers, or no set.
Filled filled(const Sets& sets, const std::map<std::string, gen::config::Array>& arrays);

// A result of all sets as an array of the smallest type that holds it; the sets are the first axis.
struct ResultArray {
  gen::config::NumberType type;
  gen::config::ArrayShape shape;
  std::string bytes;
};
ResultArray result_array(const Operand& operand, const std::vector<std::int64_t>& numbers);

}  // namespace kumiki::flow
