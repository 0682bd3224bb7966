// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/verilog/note.h"

#include <algorithm>

namespace kumiki::backends::verilog {

void write_note(Text& out, std::string_view lines) {
  if (lines.empty()) return;
  for (std::size_t at = 0, end; at < lines.size(); at = end + 1) {
    end = std::min(lines.find('\n', at), lines.size());
    out.put("// ", lines.substr(at, end - at), "\n");
  }
  out.put('\n');
}

}  // namespace kumiki::backends::verilog
