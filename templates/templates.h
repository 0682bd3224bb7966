// SPDX-License-Identifier: Apache-2.0
// The text files of this folder, compiled in.
#pragma once
#include <string_view>
#include <vector>

namespace kumiki::templates {

struct Entry {
  std::string_view path;  // relative to templates/, e.g. "primitives/LUT6.v"
  std::string_view text;
};

// The text of one file; throws std::out_of_range for a path that does not exist.
std::string_view text(std::string_view path);

// Every path below a folder ("primitives/"), sorted.
std::vector<std::string_view> below(std::string_view folder);

}  // namespace kumiki::templates
