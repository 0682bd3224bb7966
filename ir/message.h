// SPDX-License-Identifier: Apache-2.0
// The mistakes that the program reports. Each has a code that it keeps from version to version, and
// a row in one table (ir/messages/): its meaning, an example, the remedy. `kumiki explain CODE`
// prints a row, docs/messages.md has all of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kumiki {

enum class Code : std::uint16_t {
#define KUMIKI_MESSAGE(code, meaning, example, remedy) code,
#include "ir/messages/all.def"
#undef KUMIKI_MESSAGE
};

struct Message {
  Code code;
  std::string_view word;     // "multiply-driven"
  std::string_view meaning;  // "Two cells drive the same bit."
  std::string_view example;  // the line as it is printed, without its code; in a golden file
  std::string_view remedy;   // "Give one of them a wire of its own."
};

std::span<const Message> messages();
const Message& message(Code code);
std::string_view word(Code code);
std::optional<Code> find_code(std::string_view word);

// "text [multiply-driven]".
std::string with_code(std::string text, Code code);

}  // namespace kumiki
