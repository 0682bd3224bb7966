// SPDX-License-Identifier: Apache-2.0
// Recorded answers of the vendor's URAM288 model, see tests/vectors/README.md.
#pragma once
#include <string>
#include <vector>

#include "ir/primitive.h"

namespace kumiki::tests {

struct Uram288Trace {
  std::string name;
  std::vector<std::uint64_t> params;        // of the primitive table
  std::vector<std::vector<bool>> inputs;    // [clock][net]
  std::vector<std::vector<bool>> answers;   // [clock][net], right after the edge
  std::vector<std::vector<bool>> is_known;  // [clock][net]
  std::size_t known_digits = 0;
};

// All files of the folder, sorted by name.
std::vector<Uram288Trace> read_uram288_traces(const std::string& folder);

}  // namespace kumiki::tests
