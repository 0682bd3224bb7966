// SPDX-License-Identifier: Apache-2.0
#include "ir/text_cursor.h"

#include <charconv>

#include <fmt/format.h>

#include "ir/error.h"
#include "ir/name_pool.h"

namespace kumiki::ir {
namespace {

// Enough for any device, few enough that flat arrays over the nets can always be made.
constexpr std::uint32_t net_limit = 1u << 28;
constexpr std::uint64_t list_limit = 1u << 20;

constexpr std::string_view legal_nets =
    "a net must be %<number> from %3 on, 0, 1 or open; %4..7 and %7..4 are runs, 0*8 repeats, "
    "\",\" joins, - is none";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool TextCursor::at_end() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r'))
    ++at_;
  return at_ == line_.size() || line_[at_] == '#';
}

std::size_t TextCursor::here() {
  at_end();
  return at_;
}

void TextCursor::fail_at(std::size_t position, Code code, std::string_view message) const {
  auto where = fmt::format("{}:{}: {}", number_, position + 1, message);
  throw DesignError(code, file_.empty() ? where : fmt::format("{}:{}", file_, where));
}

bool TextCursor::accept(std::string_view token) {
  if (at_end() || !line_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool TextCursor::accept_word(std::string_view wanted) {
  auto start = here();
  if (word() == wanted) return true;
  at_ = start;
  return false;
}

void TextCursor::expect(std::string_view token, std::string_view after) {
  if (!accept(token)) fail(code::sign_missing, fmt::format("\"{}\" must follow {}", token, after));
}

void TextCursor::expect_end(std::string_view legal) {
  if (!at_end()) fail(code::line_goes_on, fmt::format("the line must end here; {}", legal));
}

std::string_view TextCursor::word() {
  if (at_end() || !is_letter(line_[at_])) return {};
  auto start = at_;
  while (at_ < line_.size() && (is_letter(line_[at_]) || is_digit(line_[at_]) || line_[at_] == '$'))
    ++at_;
  return line_.substr(start, at_ - start);
}

std::string TextCursor::name(std::string_view of) {
  if (at_quote()) return quoted(of);
  auto found = word();
  if (found.empty())
    fail(code::word_missing,
         fmt::format("the name of {} is missing; give a word, or any text in quotes", of));
  return std::string(found);
}

std::string TextCursor::quoted(std::string_view of) {
  if (!accept("\"")) fail(code::word_missing, fmt::format("{} is missing: a text in quotes", of));
  auto start = at_ - 1;
  std::string out;
  while (at_ < line_.size() && line_[at_] != '"') {
    if (line_[at_] != '\\') {
      out += line_[at_++];
      continue;
    }
    auto rest = line_.substr(at_ + 1);
    if (rest.starts_with('n'))
      out += '\n', at_ += 2;
    else if (rest.starts_with('"') || rest.starts_with('\\'))
      out += rest[0], at_ += 2;
    else if (rest.size() > 2 && rest[0] == 'x' && hex_value(rest[1]) >= 0 &&
             hex_value(rest[2]) >= 0)
      out += static_cast<char>(hex_value(rest[1]) * 16 + hex_value(rest[2])), at_ += 4;
    else
      fail_at(at_, code::bad_quote,
              R"(unknown escape; use \" \\ \n and \x with two hexadecimal digits)");
  }
  if (at_ == line_.size())
    fail_at(start, code::bad_quote, "this quote is never closed on its line");
  ++at_;
  return out;
}

std::uint64_t TextCursor::number(std::string_view what, std::uint64_t limit) {
  auto start = here();
  int base = 10;
  if (accept("0x"))
    base = 16;
  else if (accept("0b"))
    base = 2;
  std::uint64_t value = 0;
  auto text = line_.substr(at_);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::invalid_argument)
    fail_at(start, code::word_missing,
            fmt::format("{} is missing: a number such as 12, 0x1f or 0b01", what));
  if (error == std::errc::result_out_of_range || value > limit)
    fail_at(start, code::count_too_large,
            fmt::format("{} is too large; it must be at most {}", what, limit));
  at_ += static_cast<std::size_t>(end - text.data());
  return value;
}

std::string_view TextCursor::hex_word() {
  auto start = here();
  while (at_ < line_.size() && hex_value(line_[at_]) >= 0) ++at_;
  if (at_ == start)
    fail(code::word_missing, "a word of the contents is missing: hexadecimal digits");
  return line_.substr(start, at_ - start);
}

std::uint32_t TextCursor::net_number() {
  auto start = here();
  auto n = number("the number of a net", net_limit);
  if (n < first_free_net) fail_at(start, code::net_expected, legal_nets);
  return static_cast<std::uint32_t>(n);
}

void TextCursor::net_item(std::vector<Net>& out) {
  auto start = here();
  Net first;
  if (accept("%")) {
    first = {net_number()};
    if (accept("..")) {
      Net last{net_number()};
      auto step = first < last ? 1u : ~0u;
      auto count = first < last ? last.index - first.index : first.index - last.index;
      if (count >= list_limit)
        fail_at(start, code::count_too_large,
                fmt::format("a run of {} nets is too long; it must have at most {}", count,
                            list_limit));
      for (Net n = first;; n.index += step) {
        out.push_back(n);
        if (n == last) return;
      }
    }
  } else if (accept("open")) {
    first = net_open;
  } else if (accept("0")) {
    first = net_zero;
  } else if (accept("1")) {
    first = net_one;
  } else {
    fail(code::net_expected, legal_nets);
  }
  auto count = accept("*") ? number("the number of repetitions", list_limit) : 1;
  out.insert(out.end(), count, first);
}

std::vector<Net> TextCursor::nets() {
  std::vector<Net> out;
  if (accept("-")) return out;
  do net_item(out);
  while (accept(","));
  return out;
}

}  // namespace kumiki::ir
