// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/rewriting.h"

namespace kumiki::backends::proof {
namespace {

constexpr std::size_t most_read = 10, most_terms = 400'000;
constexpr unsigned steps_a_look = 4;  // between reads of the clock

// The value of the root for all inputs of the cone.
std::vector<std::int64_t> cases_of(const Aig& aig, const Cone& cone, std::uint32_t root) {
  const std::size_t n = cone.reads.size();
  std::vector<std::int64_t> values(std::size_t{1} << n);
  std::unordered_map<std::uint32_t, std::uint64_t> word{{0, 0}};
  const auto of = [&](Literal l) { return word[l >> 1] ^ (l & 1 ? ~std::uint64_t{0} : 0); };
  for (std::size_t first = 0; first < values.size(); first += 64) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t& w = word[cone.reads[i]] = 0;
      for (std::size_t lane = 0; lane < 64; ++lane) w |= ((first + lane) >> i & 1) << lane;
    }
    for (const auto g : cone.gates) word[g] = of(aig.node(g).a) & of(aig.node(g).b);
    for (std::size_t lane = 0; lane < 64 && first + lane < values.size(); ++lane)
      values[first + lane] = static_cast<std::int64_t>(word[root] >> lane & 1);
  }
  return values;
}

}  // namespace

std::vector<Weighted> weighted(const std::vector<Literal>& word) {
  std::vector<Weighted> all;
  for (std::size_t i = 0; i < word.size(); ++i) all.push_back({word[i], std::uint64_t{1} << i});
  return all;
}

Rewriting::Rewriting(const Aig& aig, const std::vector<Literal>& nets)
    : aig_(aig), is_net_(aig.size(), false) {
  for (Literal l : nets) is_net_[l >> 1] = true;
}

std::optional<std::vector<std::uint32_t>> Rewriting::read_by(std::uint32_t node) const {
  if (auto cone = cone_of(aig_, node, most_read, [&](auto n) { return is_net_[n]; }))
    return std::move(cone->reads);
  return std::nullopt;
}

const Rewriting::Function* Rewriting::function(std::uint32_t node) {
  const auto [at, fresh] = functions_.try_emplace(node);
  if (fresh) {
    auto cone = cone_of(aig_, node, most_read, [&](auto n) { return is_net_[n]; });
    if (cone) {
      Function f{cone->reads, cases_of(aig_, *cone, node)};
      for (std::size_t i = 0; i < f.reads.size(); ++i)
        for (std::size_t c = 0; c < f.coefficients.size(); ++c)
          if (c >> i & 1) f.coefficients[c] -= f.coefficients[c ^ std::size_t{1} << i];
      at->second = std::move(f);
    }
  }
  return at->second ? &*at->second : nullptr;
}

std::optional<Polynomial> Rewriting::of(const std::vector<Weighted>& sum, std::uint64_t constant,
                                        unsigned bits, Clock::time_point deadline) {
  Polynomial p(bits);
  p.add(Monomial{}, constant);
  for (const Weighted& w : sum) p.add(w.literal, w.weight);
  for (unsigned step = 0;; ++step) {
    const auto node = p.highest(aig_);
    if (node == 0) return p;
    if (p.size() > most_terms || (step % steps_a_look == 0 && Clock::now() > deadline))
      return std::nullopt;
    const Function* f = function(node);
    if (!f) return std::nullopt;
    Polynomial is(bits);
    for (std::size_t c = 0; c < f->coefficients.size(); ++c) {
      if (f->coefficients[c] == 0) continue;
      Monomial m;
      for (std::size_t i = 0; i < f->reads.size(); ++i)
        if (c >> i & 1) m.push_back(f->reads[i]);
      is.add(m, static_cast<std::uint64_t>(f->coefficients[c]));
    }
    p.replace(node, is);
  }
}

}  // namespace kumiki::backends::proof
