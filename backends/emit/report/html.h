// SPDX-License-Identifier: Apache-2.0
// Pieces of a page that is HTML and well-formed XML at once. What comes from outside is escaped
// here and nowhere else: functions that take text say so, all others take markup.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::backends::html {

// For text and for attributes in double quotes. What XML cannot hold (control characters, bytes
// that are no UTF-8) becomes U+FFFD; '@' too is escaped, a template's marks stand between two of
// them.
std::string escaped(std::string_view text);

// element("td class=\"n\"", "1") is <td class="n">1</td>.
std::string element(std::string_view opening, std::string_view markup);
std::string text_element(std::string_view opening, std::string_view text);

// 1234567 is 1,234,567.
std::string grouped(std::uint64_t number);

struct Cell {
  std::string markup;
  std::string attributes = {};  // "class=\"n\""
};
Cell text(std::string_view text);
Cell code(std::string_view text);  // as code, its line breaks kept
Cell number(std::uint64_t value);
Cell number(std::string text);  // one already written
Cell yes_or_no(bool good, std::string_view yes, std::string_view no);

// The first cell of a row is its heading. Columns of numbers stand to the right: '>' before their
// name.
class Table {
 public:
  Table(std::string caption, std::vector<std::string> columns);
  void row(const std::vector<Cell>& cells, std::string_view attributes = {});
  bool empty() const { return rows_.empty(); }
  std::string markup() const;

 private:
  std::string head_, rows_;
};

// A picture of a generator as part of the page, with a title for those who cannot see it. One that
// brings style rules, names or links of its own goes in as an image: they would reach the page.
std::string picture(std::string_view svg, std::string_view title);

}  // namespace kumiki::backends::html
