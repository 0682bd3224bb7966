// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sstream>
#include <string>
#include <vector>

namespace kumiki::tests {

// Of a line of a table, between commas.
inline std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) all.push_back(field);
  return all;
}

}  // namespace kumiki::tests
