// SPDX-License-Identifier: Apache-2.0
// Programs that were solved before. The columns of a sum of words are all alike, and a few columns
// up what is decided below them is as well: most of their programs are the same.
#pragma once
#include <map>
#include <string>

#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

class Repeats {
 public:
  explicit Repeats(Search& search) : search_(search) {}
  // As `search` does; of one `limits` for all programs.
  MipResult solve(const Mip& mip, const MipLimits& limits);

 private:
  Search& search_;
  std::map<std::string, MipResult> known_;  // by the program without its fixed variables
};

}  // namespace kumiki::gen::compressor
