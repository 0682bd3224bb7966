// SPDX-License-Identifier: Apache-2.0
// The integer program of a compressor tree of S stages.
//
//   x[s,c,e]  elements of a kind in a column
//   k[s,c]    carries passed on from an atom that ends to one that starts
//   u[s,c]    heap bits used as the carry into a chain, v[s,c] of them through the DI of an exit
//   q[s,c]    raw pairs taken in
//   y[s,c]    carries that stay open; r[s,c] open ones and leaves of three nets taken in; m[s,c]
//             those that stage s finds
//   n[s,c]    bits that stage s finds (continuous; n[0] is the heap)
//   t[c]      the final adder covers the column
//   f[c]      for a comparison: nets of the column in LUTs, d[c] those beyond the first; a position
//             has five of them, so at most two columns of two bits share it
//
//   k <= End, k + u <= Start.
//   u <= Start of atoms with a free carry pin + v.
//   sum v <= sum exits - any + leads.
//   leaves of five nets + r <= rooms for them + v.
//   n[s+1] >= Out, n[s+1] >= n[s] + Out - In + q. (Inequalities: wires need no variables.)
//
// A carry that is not passed on costs a position (unless exits are free). Above the top column it
// is dropped.
#pragma once
#include <optional>

#include "gen/blocks/compressor/plan.h"
#include "gen/blocks/compressor/solver/mip.h"

namespace kumiki::gen::compressor {

// The carry chains that a tree may have below its final adder. last: only in the last stage, where
// they add everything that is left, so that stage is the final adder.
enum class Chains { any, one_slice, none, last };

struct TreeModel {
  // With a cap the columns need not end as rows: each has at most `cap` bits and pairs.
  TreeModel(const TreePlan& request, unsigned stages, std::vector<std::size_t> elements,
            unsigned cap = 0, Chains with = Chains::any);

  // decode: a solution as chains and counters. encode: a plan of known elements as a start.
  TreePlan decode(const std::vector<double>& x) const;
  std::vector<double> encode(const TreePlan& plan) const;

  double luts(double objective) const { return objective / scale; }

  // The cost of a LUT. It exceeds the random costs that perturb the search.
  static constexpr double scale = 2;

  struct Use {
    int variable;
    unsigned stage, column;
    std::size_t element;
  };
  TreePlan request;
  unsigned stages;
  std::vector<std::size_t> elements;
  Chains chains;
  bool joins;
  Mip mip;
  std::vector<Use> uses;
  std::vector<std::vector<int>> k, u, v, q, n, y, r, m;  // [stage][column]; -1: none
  std::vector<int> any;                                  // [stage]: a carry enters through an exit
  std::vector<int> lead;  // [stage]: positions that only admit a carry
  std::vector<int> t, f, d;
  int positions = -1;  // of a comparison

 private:
  void add_variables();
  void add_stage(unsigned stage);
  void add_finish();
  void add_comparison();
  void add_cap(unsigned cap);
  bool may_stay_open() const;
  std::vector<std::vector<std::vector<int>>> use_;  // [stage][column][position in elements]
};

}  // namespace kumiki::gen::compressor
