// SPDX-License-Identifier: Apache-2.0
// Integer programs for CBC, as plain data. Every solve runs in its own process. It can be stopped
// at any time, and the library's assertions, crashes and signal handlers do not affect this one.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace kumiki::gen::compressor {

constexpr double no_cutoff = 1e30;

struct MipLimits {
  int nodes = 100'000;  // of the branch-and-bound tree; not a time, so results repeat
  int seed = 1;
  double cutoff = no_cutoff;  // look only for better solutions
  double gap = 0;             // stop when the best solution is this close to the bound
  double gap_part = 0;        // the same as a part of the objective
  // Cutting planes raise the bound. Branching alone finds solutions several times faster.
  bool cuts = true;
  bool heuristics = true;
  // Branching only: no preprocessing, no heuristics, no strong branching. For one program of many,
  // more nodes are worth more than better ones.
  bool is_plain = false;
};

struct MipResult {
  bool is_stopped = false;     // by the pulse; then the other members are invalid
  bool is_lost = false;        // the library gave up, twice
  std::uint64_t work = 0;      // work done, in steps of the simplex method (or an estimate)
  bool is_infeasible = false;  // there is no solution (below the cutoff)
  bool is_proven = false;      // the solution is optimal, or there is none
  bool has_solution = false;
  double objective = 0, bound = 0;
  std::vector<double> x;
};

class Mip {
 public:
  using Term = std::pair<int, double>;
  struct Row {
    std::vector<int> variables;
    std::vector<double> factors;
    char sense;
    double right;
  };

  int add(double low, double high, double cost, bool is_integer);
  void row(const std::vector<Term>& terms, char sense, double right);  // 'L', 'G' or 'E'
  const std::vector<Row>& rows() const { return rows_; }
  void erase_rows(const std::function<bool(const Row&)>& which) { std::erase_if(rows_, which); }
  void change_rows(const std::function<void(Row&)>& how) { std::ranges::for_each(rows_, how); }
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
  // Its linear program: no variable is an integer.
  Mip relaxed() const;

  // See `solve_together`.
  MipResult solve(const MipLimits& limits, const std::function<bool()>& pulse = {}) const;

 private:
  std::vector<double> low_, high_, cost_;
  std::vector<bool> is_integer_;
  std::vector<Row> rows_;
  std::vector<double> sum_;  // of a row under construction; 0 otherwise
};

struct MipJob {
  const Mip* mip;
  MipLimits limits;
  std::vector<double> start;  // a solution to begin with, or empty
};

// Solves all of them at once. `pulse` is called about ten times a second and may be empty; false:
// stop. Throws Interrupted if the process must stop.
std::vector<MipResult> solve_together(const std::vector<MipJob>& jobs,
                                      const std::function<bool()>& pulse);

}  // namespace kumiki::gen::compressor
