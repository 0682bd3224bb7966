// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/cbc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include <coin/Cbc_C_Interface.h>

namespace kumiki::gen::compressor {
namespace {

using Model = std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)>;

// The rows of a program, in column order.
struct Matrix {
  explicit Matrix(const Mip& mip) : start(static_cast<std::size_t>(mip.size()) + 1) {
    for (const Mip::Row& r : mip.rows())
      for (const int v : r.variables) ++start[static_cast<std::size_t>(v) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    row.resize(static_cast<std::size_t>(start.back()));
    factor.resize(row.size());
    std::vector<CoinBigIndex> next = start;
    int number = 0;
    for (const Mip::Row& r : mip.rows()) {
      for (std::size_t i = 0; i < r.variables.size(); ++i) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(r.variables[i])]++);
        row[at] = number;
        factor[at] = r.factors[i];
      }
      ++number;
    }
  }
  std::vector<CoinBigIndex> start;
  std::vector<int> row;
  std::vector<double> factor;
};

// Loads everything in one call: adding row by row copies the matrix each time.
Model loaded(const Mip& mip) {
  constexpr double infinite = std::numeric_limits<double>::max();
  std::vector<double> low, high, cost, least, most;
  for (int v = 0; v < mip.size(); ++v) {
    low.push_back(mip.low(v));
    high.push_back(mip.high(v));
    cost.push_back(mip.cost(v));
  }
  for (const Mip::Row& r : mip.rows()) {
    least.push_back(r.sense == 'L' ? -infinite : r.right);
    most.push_back(r.sense == 'G' ? infinite : r.right);
  }
  const Matrix matrix(mip);
  Model model(Cbc_newModel(), Cbc_deleteModel);
  Cbc_setLogLevel(model.get(), 0);
  Cbc_loadProblem(model.get(), mip.size(), static_cast<int>(least.size()), matrix.start.data(),
                  matrix.row.data(), matrix.factor.data(), low.data(), high.data(), cost.data(),
                  least.data(), most.data());
  for (int v = 0; v < mip.size(); ++v)
    if (mip.is_integer(v)) Cbc_setInteger(model.get(), v);
  Cbc_setObjSense(model.get(), 1);
  return model;
}

void set_limits(Cbc_Model* model, const MipLimits& limits, Pivots pivots) {
  auto set = [&](const char* key, const std::string& value) {
    Cbc_setParameter(model, key, value.c_str());
  };
  set("log", "0");
  set("randomSeed", fmt::format("{}", limits.seed));
  set("randomCbcSeed", fmt::format("{}", limits.seed));
  set("maxN", fmt::format("{}", limits.nodes));
  if (limits.cutoff < no_cutoff) set("cutoff", fmt::format("{}", limits.cutoff));
  if (limits.gap > 0) set("allow", fmt::format("{}", limits.gap));
  if (limits.gap_part > 0) set("ratio", fmt::format("{}", limits.gap_part));
  if (!limits.cuts) set("cuts", "off");
  if (!limits.heuristics || limits.is_plain) set("heuristicsOnOff", "off");
  if (limits.is_plain) set("preprocess", "off"), set("strongBranching", "0");
  if (pivots == Pivots::dantzig) {
    set("dualPivot", "dantzig");
    set("primalPivot", "dantzig");
  }
}

// Size of a program whose steps count as one.
constexpr std::uint64_t usual_size = 250;

// Reads the solution. False: it is not valid.
bool read(const Mip& mip, const double* from, std::vector<double>& x) {
  if (!from) return false;
  x.assign(from, from + mip.size());
  for (int v = 0; v < mip.size(); ++v) {
    if (!mip.is_integer(v)) continue;
    const double near = std::round(x[v]);
    // On a time-out CBC may return the relaxation instead of a solution.
    if (std::abs(near - x[v]) > 1e-4) return false;
    x[v] = near;
  }
  return true;
}

}  // namespace

MipResult run_cbc(const Mip& mip, const MipLimits& limits, const std::vector<double>& start,
                  Pivots pivots) {
  const Model holder = loaded(mip);
  Cbc_Model* model = holder.get();
  set_limits(model, limits, pivots);
  if (!start.empty()) {
    std::vector<int> index(start.size());
    std::iota(index.begin(), index.end(), 0);
    Cbc_setMIPStartI(model, mip.size(), index.data(), start.data());
  }
  Cbc_solve(model);
  MipResult result;
  result.is_infeasible = Cbc_isProvenInfeasible(model) != 0;
  result.is_proven = Cbc_isProvenOptimal(model) != 0 || result.is_infeasible;
  result.bound = Cbc_getBestPossibleObjValue(model);
  // Starting a run takes as long as this many steps, and a step of a large program takes longer.
  const auto size = static_cast<std::uint64_t>(mip.size());
  const auto steps = static_cast<std::uint64_t>(Cbc_getIterationCount(model));
  result.work = 50 + size / 4 + std::max(steps, steps * size / usual_size);
  bool is_linear = true;
  for (int v = 0; v < mip.size(); ++v) is_linear &= !mip.is_integer(v);
  if (is_linear) {
    // CBC stores solutions that branching found, and here there is no branching.
    result.has_solution =
        result.is_proven && !result.is_infeasible && read(mip, Cbc_getColSolution(model), result.x);
    if (result.has_solution) result.objective = result.bound = mip.cost_of(result.x);
    return result;
  }
  const double* best = Cbc_bestSolution(model);
  if (!best || result.is_infeasible) return result;
  result.objective = Cbc_getObjValue(model);
  if (result.objective < limits.cutoff + 1e-6) result.has_solution = read(mip, best, result.x);
  return result;
}

}  // namespace kumiki::gen::compressor
