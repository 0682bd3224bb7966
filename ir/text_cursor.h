// SPDX-License-Identifier: Apache-2.0
// Reads one line of the text form from left to right and says where it fails.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/message.h"
#include "ir/net.h"

namespace kumiki::ir {

class TextCursor {
 public:
  TextCursor(std::string_view file, std::uint32_t number, std::string_view line)
      : file_(file), number_(number), line_(line) {}

  std::uint32_t number() const { return number_; }
  // Skips blanks; errors are reported at what comes next.
  bool at_end();
  std::size_t here();
  void go_to(std::size_t position) { at_ = position; }

  [[noreturn]] void fail(Code code, std::string_view message) { fail_at(here(), code, message); }
  [[noreturn]] void fail_at(std::size_t position, Code code, std::string_view message) const;

  bool accept(std::string_view token);
  bool accept_word(std::string_view word);
  void expect(std::string_view token, std::string_view after);
  void expect_end(std::string_view legal);
  std::string_view word();                // [A-Za-z_][A-Za-z0-9_$]*, empty if there is none
  std::string name(std::string_view of);  // a word or a quoted text
  bool at_quote() { return !at_end() && line_[at_] == '"'; }
  std::string quoted(std::string_view of);
  std::uint64_t number(std::string_view what, std::uint64_t limit);  // 12, 0x1f, 0b01
  std::string_view hex_word();                                       // as many digits as there are
  std::vector<Net> nets();  // a list of nets as the text form writes it

 private:
  std::uint32_t net_number();
  void net_item(std::vector<Net>& out);

  std::string_view file_;
  std::uint32_t number_;
  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace kumiki::ir
