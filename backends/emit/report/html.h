// SPDX-License-Identifier: Apache-2.0
// Pieces of a page that is both HTML and well-formed XML. Only escaped() escapes foreign text.
// Functions that take text say so; all others take markup.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/picture/text.h"

namespace kumiki::backends::html {

using picture::escaped;
using picture::grouped;

// element("td class=\"n\"", "1") is <td class="n">1</td>.
std::string element(std::string_view opening, std::string_view markup);
std::string text_element(std::string_view opening, std::string_view text);

struct Cell {
  std::string markup;
  std::string attributes = {};  // "class=\"n\""
};
Cell text(std::string_view text);
Cell code(std::string_view text);  // as code, with its line breaks
Cell number(std::uint64_t value);
Cell number(std::string text);  // a number already formatted
Cell yes_or_no(bool good, std::string_view yes, std::string_view no);

// The first cell of a row is its heading. '>' before a column's name: the column has numbers,
// aligned to the right.
class Table {
 public:
  Table(std::string caption, std::vector<std::string> columns);
  void row(const std::vector<Cell>& cells, std::string_view attributes = {});
  bool empty() const { return rows_.empty(); }
  std::string markup() const;

 private:
  std::string head_, rows_;
};

// A generator's picture as part of the page, with a title for those who cannot see it. A picture
// with style rules, names or links becomes an image, because these would affect the whole page.
std::string picture(std::string_view svg, std::string_view title);

}  // namespace kumiki::backends::html
