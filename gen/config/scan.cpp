// SPDX-License-Identifier: Apache-2.0
#include "gen/config/scan.h"

namespace kumiki::gen::config {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view marks = "{}[],:";

// One past the closing quote, or past the last character before the line ends without one.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\n') return at;
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
  }
  return text.size();
}

std::size_t end_of_word(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_of(" \t\r\n{}[],:\"", at + 1);
  return end == std::string_view::npos ? text.size() : end;
}

}  // namespace

Token next_token(std::string_view text, std::size_t at) {
  at = text.find_first_not_of(blanks, at);
  if (at == std::string_view::npos) return {Token::Kind::end, text.size(), text.size()};
  if (marks.find(text[at]) != std::string_view::npos) {
    return {Token::Kind::punctuation, at, at + 1};
  }
  if (text[at] == '"') return {Token::Kind::text, at, end_of_text(text, at)};
  return {Token::Kind::word, at, end_of_word(text, at)};
}

}  // namespace kumiki::gen::config
