// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/cbc.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <coin/Cbc_C_Interface.h>

namespace kumiki::gen::compressor {
namespace {

using Model = std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)>;

// The program without its fixed variables. Windows and parts that are solved anew leave few
// variables free, and the time the library takes before its first step grows with the size of the
// program.
struct Reduced {
  std::vector<int> kept;
  double fixed_cost = 0;
  bool is_feasible = true;  // as far as rows without a free variable show
};

Model loaded(const Mip& mip, Reduced& reduced) {
  Model model(Cbc_newModel(), Cbc_deleteModel);
  Cbc_setLogLevel(model.get(), 0);
  std::vector<int> column(static_cast<std::size_t>(mip.size()), -1);
  for (int v = 0; v < mip.size(); ++v) {
    if (mip.low(v) == mip.high(v)) {
      reduced.fixed_cost += mip.cost(v) * mip.low(v);
      continue;
    }
    column[v] = static_cast<int>(reduced.kept.size());
    reduced.kept.push_back(v);
    Cbc_addCol(model.get(), fmt::format("v{}", v).c_str(), mip.low(v), mip.high(v), mip.cost(v),
               static_cast<char>(mip.is_integer(v)), 0, nullptr, nullptr);
  }
  int number = 0;
  std::vector<int> variables;
  std::vector<double> factors;
  for (const Mip::Row& r : mip.rows()) {
    variables.clear();
    factors.clear();
    double right = r.right;
    for (std::size_t i = 0; i < r.variables.size(); ++i) {
      const int v = r.variables[i];
      if (column[v] < 0) {
        right -= r.factors[i] * mip.low(v);
        continue;
      }
      variables.push_back(column[v]);
      factors.push_back(r.factors[i]);
    }
    constexpr double near = 1e-6;
    if (!variables.empty())
      Cbc_addRow(model.get(), fmt::format("r{}", number++).c_str(),
                 static_cast<int>(variables.size()), variables.data(), factors.data(), r.sense,
                 right);
    else if ((r.sense != 'L' && right > near) || (r.sense != 'G' && right < -near))
      reduced.is_feasible = false;
  }
  Cbc_setObjSense(model.get(), 1);
  return model;
}

void set_limits(Cbc_Model* model, const MipLimits& limits, double fixed_cost, Pivots pivots) {
  auto set = [&](const char* key, const std::string& value) {
    Cbc_setParameter(model, key, value.c_str());
  };
  set("log", "0");
  set("randomSeed", fmt::format("{}", limits.seed));
  set("randomCbcSeed", fmt::format("{}", limits.seed));
  set("maxN", fmt::format("{}", limits.nodes));
  if (limits.cutoff < 1e29) set("cutoff", fmt::format("{}", limits.cutoff - fixed_cost));
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

// Reads the solution. False: it is not a valid one.
bool read(const Mip& mip, const Reduced& reduced, const double* from, std::vector<double>& x) {
  if (!from) return false;
  x.resize(static_cast<std::size_t>(mip.size()));
  for (int v = 0; v < mip.size(); ++v) x[v] = mip.low(v);
  for (std::size_t i = 0; i < reduced.kept.size(); ++i) {
    const int v = reduced.kept[i];
    x[v] = from[i];
    if (!mip.is_integer(v)) continue;
    const double near = std::round(x[v]);
    // On a time-out CBC may hand out the relaxation instead of a solution.
    if (std::abs(near - x[v]) > 1e-4) return false;
    x[v] = near;
  }
  return true;
}

}  // namespace

MipResult run_cbc(const Mip& mip, const MipLimits& limits, const std::vector<double>& start,
                  Pivots pivots) {
  Reduced reduced;
  const Model holder = loaded(mip, reduced);
  MipResult result;
  // The start of a run takes as long as this many steps.
  const std::size_t to_begin = 50 + reduced.kept.size() / 4;
  result.work = to_begin;
  if (!reduced.is_feasible) {
    result.is_infeasible = result.is_proven = true;
    return result;
  }
  if (reduced.kept.empty()) {
    result.objective = result.bound = reduced.fixed_cost;
    result.has_solution = reduced.fixed_cost < limits.cutoff;
    result.is_proven = true;
    result.is_infeasible = !result.has_solution;
    if (result.has_solution) read(mip, reduced, &result.objective, result.x);
    return result;
  }
  Cbc_Model* model = holder.get();
  set_limits(model, limits, reduced.fixed_cost, pivots);
  if (!start.empty()) {
    std::vector<int> index(reduced.kept.size());
    std::vector<double> values(reduced.kept.size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[i] = static_cast<int>(i);
      values[i] = start[reduced.kept[i]];
    }
    Cbc_setMIPStartI(model, static_cast<int>(index.size()), index.data(), values.data());
  }
  Cbc_solve(model);
  result.is_infeasible = Cbc_isProvenInfeasible(model) != 0;
  result.is_proven = Cbc_isProvenOptimal(model) != 0 || result.is_infeasible;
  result.bound = Cbc_getBestPossibleObjValue(model) + reduced.fixed_cost;
  result.work += static_cast<std::uint64_t>(Cbc_getIterationCount(model));
  bool is_linear = true;
  for (int v : reduced.kept) is_linear &= !mip.is_integer(v);
  if (is_linear) {
    // CBC keeps solutions that branches found, and here there are no branches.
    result.has_solution = result.is_proven && !result.is_infeasible &&
                          read(mip, reduced, Cbc_getColSolution(model), result.x);
    if (result.has_solution) result.objective = result.bound = mip.cost_of(result.x);
    return result;
  }
  const double* best = Cbc_bestSolution(model);
  if (!best || result.is_infeasible) return result;
  result.objective = Cbc_getObjValue(model) + reduced.fixed_cost;
  if (result.objective < std::min(limits.cutoff + 1e-6, 1e30))
    result.has_solution = read(mip, reduced, best, result.x);
  return result;
}

}  // namespace kumiki::gen::compressor
