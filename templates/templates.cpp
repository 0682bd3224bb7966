// SPDX-License-Identifier: Apache-2.0
#include "templates/templates.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace kumiki::templates {

extern const Entry entries[];
extern const unsigned entry_count;

std::string_view text(std::string_view path) {
  for (unsigned i = 0; i < entry_count; ++i)
    if (entries[i].path == path) return entries[i].text;
  throw std::out_of_range("no template " + std::string(path));
}

std::vector<std::string_view> below(std::string_view folder) {
  std::vector<std::string_view> found;
  for (unsigned i = 0; i < entry_count; ++i)
    if (entries[i].path.starts_with(folder)) found.push_back(entries[i].path);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace kumiki::templates
