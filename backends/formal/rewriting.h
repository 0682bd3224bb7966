// SPDX-License-Identifier: Apache-2.0
// Computes a weighted sum of gates as a polynomial in the inputs. It replaces net by net, the last
// one first, by the function that computes it. Every step is exact, by the net's whole truth table.
// The counters of a compressor tree and the positions of an adder only move a sum, so the
// polynomial stays short.
#pragma once
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "backends/formal/polynomial.h"
#include "backends/formal/solve.h"

namespace kumiki::backends::proof {

struct Weighted {
  Literal literal;
  std::uint64_t weight;
};

// A word, lowest bit first.
std::vector<Weighted> weighted(const std::vector<Literal>& word);

class Rewriting {
 public:
  // Functions are over `nets`; all other nodes are gates inside them.
  Rewriting(const Aig& aig, const std::vector<Literal>& nets);

  // Empty if a net reads too many others or the polynomial grows too long.
  std::optional<Polynomial> of(const std::vector<Weighted>& sum, std::uint64_t constant,
                               unsigned bits, Clock::time_point deadline);
  // The nets of which a gate is a function, in order; empty if there are too many.
  std::optional<std::vector<std::uint32_t>> read_by(std::uint32_t node) const;

 private:
  struct Function {
    std::vector<std::uint32_t> reads;
    std::vector<std::int64_t> coefficients;  // of every product of them
  };
  const Function* function(std::uint32_t node);

  const Aig& aig_;
  std::vector<bool> is_net_;
  std::unordered_map<std::uint32_t, std::optional<Function>> functions_;
};

// The gates from some nodes to a root that is a function of them, and these nodes, both in order.
// The search ends at inputs and at gates for which `stops` is true; it does not ask about the root.
// Empty if more than `most` nodes are read.
struct Cone {
  std::vector<std::uint32_t> reads, gates;  // the root is the last of the gates
};
template <class Stops>
std::optional<Cone> cone_of(const Aig& aig, std::uint32_t root, std::size_t most, Stops stops) {
  Cone cone;
  std::vector<std::uint32_t> open{root};
  std::unordered_map<std::uint32_t, bool> seen{{0, true}};
  while (!open.empty()) {
    const auto n = open.back();
    open.pop_back();
    if (!seen.try_emplace(n, true).second) continue;
    if (aig.is_input(n) || (n != root && stops(n))) {
      cone.reads.push_back(n);
      if (cone.reads.size() > most) return std::nullopt;
      continue;
    }
    cone.gates.push_back(n);
    for (Literal l : {aig.node(n).a, aig.node(n).b}) open.push_back(l >> 1);
  }
  std::sort(cone.reads.begin(), cone.reads.end());
  std::sort(cone.gates.begin(), cone.gates.end());
  return cone;
}

}  // namespace kumiki::backends::proof
