// SPDX-License-Identifier: Apache-2.0
// Integer polynomials in gates of a graph, modulo a power of two. No gate has an exponent (0 and 1
// are their own squares), so a function of 0 and 1 has exactly one polynomial.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backends/formal/aig.h"

namespace kumiki::backends::proof {

using Monomial = std::vector<std::uint32_t>;  // multiplied nodes, in order

class Polynomial {
 public:
  explicit Polynomial(unsigned bits) : mask_((std::uint64_t{2} << (bits - 1)) - 1) {}

  void add(const Monomial& m, std::uint64_t coefficient);
  void add(Literal l, std::uint64_t coefficient);
  // Replaces a gate by `is`, its function of other gates.
  void replace(std::uint32_t node, const Polynomial& is);

  std::size_t size() const { return terms_.size(); }
  // The highest gate in it that is not an input of the graph; 0: none.
  std::uint32_t highest(const Aig& aig);
  bool operator==(const Polynomial& other) const { return terms_ == other.terms_; }
  struct Term {
    Monomial monomial;
    std::int64_t coefficient;  // the representative nearest to 0
  };
  std::vector<Term> terms() const;  // in order

 private:
  struct Hash {
    std::size_t operator()(const Monomial& m) const;
  };
  std::uint64_t mask_;
  std::unordered_map<Monomial, std::uint64_t, Hash> terms_;
  std::unordered_map<std::uint32_t, std::vector<Monomial>> with_;  // some have been removed
  std::vector<std::uint32_t> heap_;                                // nodes of `with_`
};

}  // namespace kumiki::backends::proof
