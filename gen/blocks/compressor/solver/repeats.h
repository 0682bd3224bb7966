// SPDX-License-Identifier: Apache-2.0
// Programs that were solved before. The columns of a sum of words are all alike, and after a few
// columns so are the decisions below them. So most of their programs are equal.
#pragma once
#include <map>
#include <string>

#include "gen/blocks/compressor/solver/search.h"

namespace kumiki::gen::compressor {

class Repeats {
 public:
  explicit Repeats(Search& search) : search_(search) {}
  // Like `Search::solve`; `limits` must be the same for all programs.
  MipResult solve(const Mip& mip, const MipLimits& limits);

 private:
  Search& search_;
  std::map<std::string, MipResult> known_;  // keyed by the program without its fixed variables
};

}  // namespace kumiki::gen::compressor
