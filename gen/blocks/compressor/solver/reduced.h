// SPDX-License-Identifier: Apache-2.0
// An integer program without its fixed variables. Windows and parts leave few variables free, and
// the time that CBC takes before its first step grows with the size of the program.
#pragma once
#include <vector>

#include "gen/blocks/compressor/solver/mip.h"

namespace kumiki::gen::compressor {

struct Reduced {
  explicit Reduced(const Mip& whole);

  Mip program;
  std::vector<int> kept;  // its variables, by their numbers in the whole program
  double fixed_cost = 0;
  bool is_feasible = true;  // as far as rows without a free variable tell

  std::vector<double> part_of(const std::vector<double>& x) const;
  // A solution of the whole program, including its fixed variables.
  std::vector<double> expanded(const Mip& whole, const std::vector<double>& part) const;
  MipResult of_whole(const Mip& whole, MipResult of_part) const;
};

}  // namespace kumiki::gen::compressor
