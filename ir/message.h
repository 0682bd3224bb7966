// SPDX-License-Identifier: Apache-2.0
// The mistakes that the program reports. Each has a code that it keeps from version to version, and
// a row in the table of its room (messages.def): its meaning, an example, the remedy. `kumiki
// explain CODE` prints a row, docs/messages.md has all of them (gen/flow/explain/all_messages.h).
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace kumiki {

class Message {
 public:
  template <std::size_t n>
  constexpr Message(const char (&name)[n], std::string_view what, std::string_view printed,
                    std::string_view to_do)
      : meaning(what), example(printed), remedy(to_do), length_(n - 1) {
    std::transform(name, name + n, word_.begin(), [](char c) { return c == '_' ? '-' : c; });
  }
  Message(const Message&) = delete;  // its address is its code
  Message& operator=(const Message&) = delete;

  constexpr std::string_view word() const { return {word_.data(), length_}; }  // "no-top"
  std::string_view meaning;  // "Two cells drive the same bit."
  std::string_view example;  // the line as it is printed, without its code; in a golden file
  std::string_view remedy;   // "Give one of them a wire of its own."

 private:
  std::array<char, 40> word_{};
  std::size_t length_;
};

// One of them.
class Code {
 public:
  constexpr Code(const Message& row) : row_(&row) {}
  constexpr const Message& row() const { return *row_; }
  constexpr std::string_view word() const { return row_->word(); }
  friend bool operator==(Code, Code) = default;
  friend auto operator<=>(Code a, Code b) { return a.word() <=> b.word(); }

 private:
  const Message* row_;
};

// "text [multiply-driven]".
std::string with_code(std::string text, Code code);

}  // namespace kumiki

// Every table is read once as declarations: code::no_top.
#define KUMIKI_MESSAGE(name, meaning, example, remedy) \
  inline constexpr Message name{#name, meaning, example, remedy};

namespace kumiki::code {

#include "ir/messages.def"

}  // namespace kumiki::code
