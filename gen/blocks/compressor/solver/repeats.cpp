// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/repeats.h"

#include "gen/blocks/compressor/solver/reduced.h"

namespace kumiki::gen::compressor {
namespace {

void put(std::string& to, double number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The complete content of a program.
std::string bytes(const Mip& mip) {
  std::string all;
  for (int v = 0; v < mip.size(); ++v) {
    for (const double number : {mip.low(v), mip.high(v), mip.cost(v)}) put(all, number);
    all.push_back(static_cast<char>(mip.is_integer(v)));
  }
  for (const Mip::Row& row : mip.rows()) {
    all.push_back(row.sense);
    put(all, row.right);
    for (std::size_t i = 0; i < row.variables.size(); ++i) {
      put(all, row.variables[i]);
      put(all, row.factors[i]);
    }
  }
  return all;
}

}  // namespace

MipResult Repeats::solve(const Mip& mip, const MipLimits& limits) {
  const Reduced part(mip);
  if (!part.is_feasible) return {.is_infeasible = true, .is_proven = true};
  const auto [at, is_new] = known_.try_emplace(bytes(part.program));
  if (is_new) at->second = search_.solve(part.program, limits);
  return part.of_whole(mip, at->second);
}

}  // namespace kumiki::gen::compressor
