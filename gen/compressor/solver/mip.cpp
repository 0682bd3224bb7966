// SPDX-License-Identifier: Apache-2.0
#include "gen/compressor/solver/mip.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include <coin/Cbc_C_Interface.h>

namespace kumiki::gen::compressor {

int Mip::add(double low, double high, double cost, bool is_integer) {
  low_.push_back(low);
  high_.push_back(high);
  cost_.push_back(cost);
  is_integer_.push_back(is_integer);
  return size() - 1;
}

double Mip::cost_of(const std::vector<double>& x) const {
  double sum = 0;
  for (int v = 0; v < size(); ++v) sum += cost_[v] * x[v];
  return sum;
}

void Mip::row(const std::vector<Term>& terms, char sense, double right) {
  // A variable may stand in a row once.
  Row r{{}, {}, sense, right};
  std::vector<double> sum(low_.size(), 0);
  std::vector<int> order;
  for (auto [v, f] : terms) {
    if (sum[v] == 0) order.push_back(v);
    sum[v] += f;
  }
  for (int v : order) {
    if (sum[v] == 0) continue;
    r.variables.push_back(v);
    r.factors.push_back(sum[v]);
    sum[v] = 0;
  }
  rows_.push_back(std::move(r));
}

namespace {

// CBC prints a line or two whatever its log level is.
class Silence {
 public:
  Silence() {
    std::fflush(stdout);
    kept_ = dup(1);
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 1);
    close(nothing);
  }
  ~Silence() {
    std::fflush(stdout);
    dup2(kept_, 1);
    close(kept_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int kept_;
};

// CBC has a handler of its own for Ctrl-C, which would end a round and nothing else: the signal
// waits for ours.
class NoInterrupt {
 public:
  NoInterrupt() {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before_);
  }
  ~NoInterrupt() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoInterrupt(const NoInterrupt&) = delete;
  NoInterrupt& operator=(const NoInterrupt&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

MipResult Mip::solve(const MipLimits& limits, const std::vector<double>& start) const {
  static std::mutex one_at_a_time;  // CBC keeps global state
  std::lock_guard lock(one_at_a_time);
  Silence silence;
  NoInterrupt no_interrupt;
  std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> holder(Cbc_newModel(), Cbc_deleteModel);
  Cbc_Model* model = holder.get();
  Cbc_setLogLevel(model, 0);
  for (int v = 0; v < size(); ++v)
    Cbc_addCol(model, fmt::format("v{}", v).c_str(), low_[v], high_[v], cost_[v],
               static_cast<char>(is_integer_[v]), 0, nullptr, nullptr);
  int number = 0;
  for (const Row& r : rows_)
    Cbc_addRow(model, fmt::format("r{}", number++).c_str(), static_cast<int>(r.variables.size()),
               r.variables.data(), r.factors.data(), r.sense, r.right);
  Cbc_setObjSense(model, 1);
  auto set = [&](const char* key, const std::string& value) {
    Cbc_setParameter(model, key, value.c_str());
  };
  set("log", "0");
  set("randomSeed", fmt::format("{}", limits.seed));
  set("randomCbcSeed", fmt::format("{}", limits.seed));
  set("maxN", fmt::format("{}", limits.nodes));
  if (limits.cutoff < 1e29) set("cutoff", fmt::format("{}", limits.cutoff));
  if (limits.gap > 0) set("allow", fmt::format("{}", limits.gap));
  if (!start.empty()) {
    std::vector<int> index(start.size());
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<int>(i);
    Cbc_setMIPStartI(model, static_cast<int>(start.size()), index.data(), start.data());
  }
  Cbc_solve(model);

  MipResult result;
  result.is_infeasible = Cbc_isProvenInfeasible(model) != 0;
  result.is_proven = Cbc_isProvenOptimal(model) != 0 || result.is_infeasible;
  result.bound = Cbc_getBestPossibleObjValue(model);
  if (std::find(is_integer_.begin(), is_integer_.end(), true) == is_integer_.end()) {
    // A linear program: CBC keeps what branches found, which are none.
    const double* relaxed = Cbc_getColSolution(model);
    result.has_solution = result.is_proven && !result.is_infeasible && relaxed;
    if (!result.has_solution) return result;
    result.x.assign(relaxed, relaxed + size());
    result.objective = result.bound = cost_of(result.x);
    return result;
  }
  const double* x = Cbc_bestSolution(model);
  if (x && !result.is_infeasible && Cbc_getObjValue(model) < limits.cutoff + 1e-6 &&
      Cbc_getObjValue(model) < 1e30) {
    result.has_solution = true;
    result.objective = Cbc_getObjValue(model);
    result.x.assign(x, x + size());
    for (int v = 0; v < size(); ++v)
      if (is_integer_[v]) {
        double near = std::round(result.x[v]);
        // On a time-out CBC may hand out the relaxation instead of a solution.
        if (std::abs(near - result.x[v]) > 1e-4) result.has_solution = false;
        result.x[v] = near;
      }
  }
  return result;
}

}  // namespace kumiki::gen::compressor
