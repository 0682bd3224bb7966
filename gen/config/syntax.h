// SPDX-License-Identifier: Apache-2.0
// Explains in our words why a text is not JSON: what the writer meant, and what is valid there.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "ir/message.h"

namespace kumiki::gen::config {

enum class Surroundings { top, list, object };

// Where the parser was when it stopped, and why.
struct Stop {
  std::size_t read = 0;  // bytes read, the one it stopped at included
  Surroundings in = Surroundings::top;
  bool after_key = false;     // a key without its value yet
  bool overflow = false;      // a valid number, but larger than any double
  bool broken_token = false;  // no token at all; otherwise a token that is not valid there
  bool bad_utf8 = false;
};

struct SyntaxError {
  Code code;
  std::size_t offset = 0;
  std::string value;
  std::string message;
  std::string required;
};

SyntaxError explain(std::string_view text, const Stop& stop);

}  // namespace kumiki::gen::config
