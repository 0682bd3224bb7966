// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "gen/flow/reduce/verilog.h"
#include "ir/error.h"

namespace kumiki::reduction {
namespace {

constexpr std::array keywords{
    "always",   "assign",     "automatic",   "begin",       "case",      "default", "else",
    "end",      "endcase",    "endfunction", "endgenerate", "endmodule", "endtask", "for",
    "function", "generate",   "genvar",      "if",          "initial",   "inout",   "input",
    "integer",  "localparam", "logic",       "module",      "negedge",   "output",  "parameter",
    "posedge",  "reg",        "signed",      "supply0",     "supply1",   "task",    "tri",
    "wand",     "wire",       "wor"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '`';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  VerilogTokens all() {
    VerilogTokens tokens;
    for (;;) {
      std::string gap = blanks();
      if (at_ == text_.size()) return tokens;
      const std::size_t begin = at_;
      at_ = end();
      tokens.push_back({std::move(gap), std::string(text_.substr(begin, at_ - begin))});
    }
  }

 private:
  // Comments are left out, and so are the blanks before one.
  std::string blanks() {
    std::size_t begin = at_;
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      const auto rest = text_.substr(at_, 2);
      if (rest != "//" && rest != "/*") break;
      const bool line = rest == "//";
      const auto found = text_.find(line ? "\n" : "*/", at_ + 2);
      if (!line && found == std::string_view::npos) fail("a comment without an end");
      at_ = found == std::string_view::npos ? text_.size() : found + (line ? 0 : 2);
      begin = at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::size_t end() const {
    const char c = text_[at_];
    if (c == '\\') {
      // The blank behind it belongs to an escaped name.
      const auto blank = text_.find_first_of(" \t\r\n", at_);
      return blank == std::string_view::npos ? text_.size() : blank + 1;
    }
    if (c == '"') {
      for (std::size_t i = at_ + 1; i < text_.size() && text_[i] != '\n'; ++i) {
        if (text_[i] == '"') return i + 1;
        if (text_[i] == '\\') ++i;
      }
      fail("a text without an end");
    }
    std::size_t i = at_;
    // 8'hF, 'b0, 12
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '\'') {
      while (i < text_.size() && (is_word(text_[i]) || text_[i] == '\'' || text_[i] == '?')) ++i;
      return std::max(i, at_ + 1);
    }
    if (is_word(c)) {
      while (i < text_.size() && is_word(text_[i])) ++i;
      return i;
    }
    const auto two = text_.substr(at_, 2);
    return at_ + (two == "(*" && text_.substr(at_, 3) != "(*)" ? attribute() : 1);
  }

  // The whole of it is one token: "(* keep *)".
  std::size_t attribute() const {
    const auto found = text_.find("*)", at_ + 2);
    if (found == std::string_view::npos) fail("an attribute without an end");
    return found + 2 - at_;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw DesignError(
        Code::verilog_unfinished,
        fmt::format(
            "line {}: {}",
            1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'),
            what));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool VerilogToken::is_name() const {
  const char c = text.empty() ? '\0' : text[0];
  if (c == '\\') return true;
  if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  return std::ranges::find(keywords, text) == keywords.end();
}

VerilogTokens verilog_tokens(std::string_view text) { return Lexer(text).all(); }

std::string to_text(const VerilogTokens& tokens) {
  std::string out;
  for (const VerilogToken& t : tokens) out += t.gap + t.text;
  return out;
}

}  // namespace kumiki::reduction
