// SPDX-License-Identifier: Apache-2.0
// Pieces of a page that is HTML and well-formed XML at once. What comes from outside is escaped
// by escaped() and nothing else: functions that take text say so, all others take markup.
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
Cell code(std::string_view text);  // as code, its line breaks kept
Cell number(std::uint64_t value);
Cell number(std::string text);  // one already written
Cell yes_or_no(bool good, std::string_view yes, std::string_view no);

// The first cell of a row is its heading. '>' before a column's name: it holds numbers, aligned to
// the right.
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
// with style rules, names or links of its own goes in as an image, because these would affect the
// whole page.
std::string picture(std::string_view svg, std::string_view title);

}  // namespace kumiki::backends::html
