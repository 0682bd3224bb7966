// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/polynomial.h"

#include <algorithm>

namespace kumiki::backends::proof {

std::size_t Polynomial::Hash::operator()(const Monomial& m) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const auto n : m) hash = (hash ^ n) * 0xff51afd7ed558ccd, hash ^= hash >> 29;
  return hash;
}

void Polynomial::add(const Monomial& m, std::uint64_t coefficient) {
  if ((coefficient & mask_) == 0) return;
  const auto [at, fresh] = terms_.try_emplace(m, 0);
  at->second = (at->second + coefficient) & mask_;
  if (at->second == 0) {
    terms_.erase(at);
  } else if (fresh) {
    for (const auto n : m) {
      auto& all = with_[n];
      if (all.empty()) {
        heap_.push_back(n);
        std::push_heap(heap_.begin(), heap_.end());
      }
      all.push_back(m);
    }
  }
}

void Polynomial::add(Literal l, std::uint64_t coefficient) {
  const Monomial m = l <= one ? Monomial{} : Monomial{l >> 1};
  if (l == zero) return;
  if (l == one) return add(m, coefficient);
  if (l & 1) add(Monomial{}, coefficient), coefficient = ~coefficient + 1;
  add(m, coefficient);
}

void Polynomial::replace(std::uint32_t node, const Polynomial& is) {
  const auto at = with_.find(node);
  if (at == with_.end()) return;
  const auto monomials = std::move(at->second);
  with_.erase(at);
  std::vector<std::pair<Monomial, std::uint64_t>> old;
  for (const Monomial& m : monomials)
    if (const auto t = terms_.find(m); t != terms_.end()) {
      old.emplace_back(t->first, t->second);
      terms_.erase(t);
    }
  for (auto& [m, coefficient] : old) {
    m.erase(std::find(m.begin(), m.end(), node));
    for (const auto& [factor, times] : is.terms_) {
      Monomial product;
      std::set_union(m.begin(), m.end(), factor.begin(), factor.end(), std::back_inserter(product));
      add(product, coefficient * times);
    }
  }
}

std::uint32_t Polynomial::highest(const Aig& aig) {
  while (!heap_.empty()) {
    const auto n = heap_.front();
    const auto at = with_.find(n);
    const bool there = at != with_.end() && !aig.is_input(n) &&
                       std::any_of(at->second.begin(), at->second.end(),
                                   [&](const Monomial& m) { return terms_.contains(m); });
    if (there) return n;
    if (at != with_.end() && !aig.is_input(n)) with_.erase(at);
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
  return 0;
}

std::vector<Polynomial::Term> Polynomial::terms() const {
  std::vector<Term> all;
  for (const auto& [m, coefficient] : terms_) {
    // Halfway counts as negative.
    const bool negative = coefficient > mask_ / 2;
    all.push_back({m, static_cast<std::int64_t>(negative ? coefficient | ~mask_ : coefficient)});
  }
  std::sort(all.begin(), all.end(), [](const Term& a, const Term& b) {
    return a.monomial.size() != b.monomial.size() ? a.monomial.size() < b.monomial.size()
                                                  : a.monomial < b.monomial;
  });
  return all;
}

}  // namespace kumiki::backends::proof
