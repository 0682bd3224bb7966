// SPDX-License-Identifier: Apache-2.0
// The text files of this folder, compiled in: trees that took long to find. Tests audit and run
// them. `kumiki-bench compressor --solve` solves the same heaps again with the current solver.
#pragma once
#include <string_view>

namespace kumiki::gen::compressor::data {

struct Entry {
  std::string_view path;
  std::string_view text;
};

extern const Entry entries[];
extern const unsigned entry_count;

}  // namespace kumiki::gen::compressor::data
