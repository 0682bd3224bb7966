// SPDX-License-Identifier: Apache-2.0
#include "ir/message.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "ir/error.h"

namespace kumiki {
namespace {

// Room for the longest word and its end.
using Word = std::array<char, 40>;

template <std::size_t n>
constexpr Word spelled(const char (&name)[n]) {
  static_assert(n <= Word{}.size());
  Word word{};
  std::transform(name, name + n, word.begin(), [](char c) { return c == '_' ? '-' : c; });
  return word;
}

constexpr Word words[] = {
#define KUMIKI_MESSAGE(code, meaning, example, remedy) spelled(#code),
#include "ir/messages/all.def"
#undef KUMIKI_MESSAGE
};

constexpr Message table[] = {
#define KUMIKI_MESSAGE(code, meaning, example, remedy) \
  {Code::code, words[static_cast<std::size_t>(Code::code)].data(), meaning, example, remedy},
#include "ir/messages/all.def"
#undef KUMIKI_MESSAGE
};

}  // namespace

std::span<const Message> messages() { return table; }

const Message& message(Code code) { return table[static_cast<std::size_t>(code)]; }

std::string_view word(Code code) { return message(code).word; }

std::optional<Code> find_code(std::string_view word) {
  const auto found = std::ranges::find(table, word, &Message::word);
  return found == std::end(table) ? std::nullopt : std::optional(found->code);
}

std::string with_code(std::string text, Code code) {
  return std::move(text) + " [" + std::string(word(code)) + "]";
}

std::string said(const Error& e) {
  return e.diagnostic().has_codes ? e.what() : with_code(e.what(), e.code());
}

Diagnostic within(const std::string& place, const Error& e) {
  Diagnostic d = e.diagnostic();
  d.wrong = place + ": " + d.wrong;
  return d;
}

std::string to_string(const Diagnostic& d) {
  return d.required.empty() ? d.wrong : d.wrong + "; " + d.required;
}

}  // namespace kumiki
