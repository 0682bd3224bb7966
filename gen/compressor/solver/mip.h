// SPDX-License-Identifier: Apache-2.0
// Integer programs for CBC, as plain data; every solve makes a solver of its own.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace kumiki::gen::compressor {

struct MipLimits {
  int nodes = 100'000;  // of the branch-and-bound tree: no clock, so that results repeat
  int seed = 1;
  double cutoff = 1e30;  // only better solutions are wanted
  double gap = 0;        // stop when the best one is so close to the bound
};

struct MipResult {
  bool is_infeasible = false;  // there is none (below the cutoff)
  bool is_proven = false;      // the best one, or infeasible
  bool has_solution = false;
  double objective = 0, bound = 0;
  std::vector<double> x;
};

class Mip {
 public:
  using Term = std::pair<int, double>;

  int add(double low, double high, double cost, bool is_integer);
  void row(const std::vector<Term>& terms, char sense, double right);  // 'L', 'G' or 'E'
  int size() const { return static_cast<int>(low_.size()); }

  double low(int v) const { return low_[v]; }
  double high(int v) const { return high_[v]; }
  double cost(int v) const { return cost_[v]; }
  double cost_of(const std::vector<double>& x) const;
  void set_bounds(int v, double low, double high) {
    low_[v] = low;
    high_[v] = high;
  }
  void set_cost(int v, double cost) { cost_[v] = cost; }
  bool is_integer(int v) const { return is_integer_[v]; }
  void set_integer(int v, bool is) { is_integer_[v] = is; }

  // `start`: a solution to begin with, or empty.
  MipResult solve(const MipLimits& limits, const std::vector<double>& start = {}) const;

 private:
  struct Row {
    std::vector<int> variables;
    std::vector<double> factors;
    char sense;
    double right;
  };
  std::vector<double> low_, high_, cost_;
  std::vector<bool> is_integer_;
  std::vector<Row> rows_;
};

}  // namespace kumiki::gen::compressor
