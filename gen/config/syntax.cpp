// SPDX-License-Identifier: Apache-2.0
#include "gen/config/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "gen/config/messages.h"
#include "gen/config/scan.h"
#include "gen/config/source.h"

namespace kumiki::gen::config {
namespace {

constexpr std::string_view any_value =
    "expected a number, a text in double quotes, true, false, a list or an object";

char mark(std::string_view text, const Token& token) {
  return token.kind == Token::Kind::punctuation ? text[token.begin] : '\0';
}

// What must follow `previous`, the token before the offending one.
struct Expected {
  std::string text;
  bool is_key = false;
};
Expected expected(std::string_view text, const Stop& stop, const Token& previous) {
  const char before = mark(text, previous);
  const bool none = previous.kind == Token::Kind::end;
  if (none) return {"the file must hold a JSON object"};
  switch (stop.in) {
    case Surroundings::top:
      return {"nothing may follow the configuration"};
    case Surroundings::object:
      if (before == '{') return {"expected a key in double quotes or \"}\"", true};
      if (before == ',') return {"expected a key in double quotes", true};
      if (before == ':') return {std::string(any_value)};
      if (stop.after_key) return {"expected \":\" and a value after the key"};
      return {"expected \",\" or \"}\""};
    case Surroundings::list:
      if (before == '[' || before == ',') return {std::string(any_value)};
      return {"expected \",\" or \"]\""};
  }
  return {};
}

// A piece of the file as written, in printable ASCII.
std::string shortened(std::string_view piece) {
  const bool cut = piece.size() > 40;
  std::string out;
  for (const char c : piece.substr(0, cut ? 37 : 40)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02X}", byte);
  }
  return cut ? out + "..." : out;
}

// An error inside a string in double quotes.
SyntaxError inside_text(std::string_view text, const Token& token, const Stop& stop) {
  const std::size_t at = stop.read - 1;  // the byte at which the parser gave up
  if (at >= text.size()) {
    return {code::text_not_closed, token.begin, in_quotes(text.substr(token.begin + 1)),
            "is not closed", "a text must end with a double quote"};
  }
  const auto byte = static_cast<unsigned char>(text[at]);
  if (stop.bad_utf8) {
    return {code::not_utf8, at, "", fmt::format("byte 0x{:02X} is not UTF-8 here", byte),
            "the file must be UTF-8"};
  }
  if (byte < 0x20) {
    const bool ends_line = byte == '\n' || byte == '\r';
    return {ends_line ? code::text_not_closed : code::control_character, at, "",
            fmt::format("a control character (0x{:02X}) inside a text", byte),
            ends_line ? "a text must end with a double quote in the same line"
                      : fmt::format("write the escape \\u{:04x}", byte)};
  }
  const std::size_t escape = std::max(text.rfind('\\', at), token.begin);
  return {code::bad_escape, escape,
          shortened(text.substr(escape, std::min<std::size_t>(at + 1 - escape, 6))),
          "is not an escape",
          R"(use one of \" \\ \/ \b \f \n \r \t and \uXXXX (surrogates in pairs))"};
}

bool looks_numeric(std::string_view word) {
  const std::size_t first = word.find_first_not_of("+-.");
  return first != std::string_view::npos && word[first] >= '0' && word[first] <= '9';
}

// An error in a word that is neither a number nor a literal: guesses what the user meant.
SyntaxError about_word(std::string_view text, const Token& token, const Stop& stop,
                       const Expected& expected) {
  const std::string_view word = text.substr(token.begin, token.end - token.begin);
  SyntaxError e{.code = code::unexpected_token, .offset = token.begin, .value = shortened(word)};
  static constexpr std::array words = {"True", "False", "None",     "NaN",       "nan",
                                       "inf",  "-inf",  "Infinity", "-Infinity", "undefined"};
  if (word.starts_with("//") || word.starts_with("/*") || word.starts_with('#')) {
    e.code = code::comment_in_json;
    e.value.clear();
    e.message = "JSON has no comments";
    e.required = "put remarks into the key \"description\"";
  } else if (word.starts_with('\'')) {
    e.code = code::single_quotes;
    e.message = "is in single quotes";
    e.required = "write texts and keys in double quotes";
  } else if (stop.overflow) {
    e.code = code::number_too_large;
    e.message = "is too large for any number";
    e.required = "numbers must be at most 1.7976931348623157e308";
  } else if (std::find(words.begin(), words.end(), word) != words.end()) {
    e.code = code::not_a_json_value;
    e.message = "is not a JSON value";
    e.required = any_value;
  } else if (expected.is_key) {
    e.code = code::key_not_in_quotes;
    e.message = "is not a key";
    e.required = expected.text;
  } else if (looks_numeric(word) && !nlohmann::json::accept(word)) {
    e.code = code::not_a_json_number;
    e.message = "is not a JSON number";
    e.required = "write decimal digits without leading zeros, as 7, -7, 0.5 or 1e-3";
  } else {
    e.message = "is not expected here";
    e.required = expected.text;
  }
  return e;
}

struct FoundToken {
  Token previous;  // Kind::end when there is none
  Token token;
};

// The token at which the parser failed. Everything before it is valid JSON.
FoundToken offender(std::string_view text, const Stop& stop) {
  const std::size_t last = stop.read - 1;
  Token before;
  Token previous;
  Token token{.end = text.starts_with("\xEF\xBB\xBF") ? std::size_t{3} : 0};
  do {
    before = previous;
    previous = token;
    token = next_token(text, token.end);
  } while (token.kind != Token::Kind::end && token.end <= last);
  // The parser may detect a broken token only at the next token.
  const bool starts_well = token.kind != Token::Kind::word && token.begin == last;
  if (stop.broken_token && (token.begin > last || starts_well)) return {before, previous};
  return {previous, token};
}

}  // namespace

SyntaxError explain(std::string_view text, const Stop& stop) {
  const auto [previous, token] = offender(text, stop);
  const Expected wanted = expected(text, stop, previous);
  if (token.kind == Token::Kind::end)
    return {code::file_ends_early, text.size(), "", "the file ends too early", wanted.text};
  if (token.kind == Token::Kind::word) return about_word(text, token, stop, wanted);
  if (token.kind == Token::Kind::text && stop.broken_token) return inside_text(text, token, stop);

  const char here = mark(text, token);
  if (mark(text, previous) == ',' && (here == ']' || here == '}')) {
    return {code::trailing_comma, previous.begin, "", "a trailing comma",
            fmt::format("write \"{}\" right after the last entry", here)};
  }
  std::string value = shortened(text.substr(token.begin, token.end - token.begin));
  if (here) value = fmt::format("\"{}\"", here);
  return {code::unexpected_token, token.begin, value, "is not expected here", wanted.text};
}

}  // namespace kumiki::gen::config
