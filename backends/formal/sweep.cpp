// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/sweep.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace kumiki::backends::proof {
namespace {

using Support = std::vector<std::uint32_t>;  // inputs, in order
using Table = std::vector<std::uint64_t>;    // the values in all cases

constexpr std::uint32_t too_many = 0;

// Numbers every set of inputs; `too_many` for sets that are not tried.
class Supports {
 public:
  Supports() { sets_.push_back({}); }
  std::uint32_t number(Support s) {
    if (s.size() > most_inputs_tried) return too_many;
    const auto [at, fresh] = numbers_.try_emplace(s, static_cast<std::uint32_t>(sets_.size()));
    if (fresh) sets_.push_back(std::move(s));
    return at->second;
  }
  std::uint32_t joined(std::uint32_t a, std::uint32_t b) {
    if (a == too_many || b == too_many) return too_many;
    if (a == b) return a;
    if (a > b) std::swap(a, b);
    const auto [at, fresh] = joined_.try_emplace(std::uint64_t{a} << 32 | b, too_many);
    if (fresh) {
      Support s;
      std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                     std::back_inserter(s));
      at->second = number(std::move(s));
    }
    return at->second;
  }
  const std::vector<Support>& sets() const { return sets_; }

 private:
  std::vector<Support> sets_;
  std::map<Support, std::uint32_t> numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> joined_;
};

// The variable `which` of a table.
std::uint64_t word_of_variable(unsigned which, std::size_t word) {
  constexpr std::uint64_t low[] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                   0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
  if (which < 6) return low[which];
  return word >> (which - 6) & 1 ? ~std::uint64_t{0} : 0;
}

// Gates over some of the inputs of one set, in order.
class Group {
 public:
  Group(const Aig& aig, const Support& support, std::vector<Literal>& instead)
      : aig_(aig), instead_(instead), words_(support.size() <= 6 ? 1 : 1u << (support.size() - 6)) {
    if (support.size() < 6) mask_ = (std::uint64_t{1} << (1u << support.size())) - 1;
    tables_[0] = Table(words_, 0);
    remember(0);
    for (unsigned i = 0; i < support.size(); ++i) {
      Table& t = tables_[support[i]];
      t.resize(words_);
      for (std::size_t w = 0; w < words_; ++w) t[w] = word_of_variable(i, w) & mask_;
      remember(support[i]);
    }
  }

  void add(std::uint32_t n) {
    const auto& node = aig_.node(n);
    const Table &a = tables_.at(node.a >> 1), &b = tables_.at(node.b >> 1);
    const std::uint64_t not_a = node.a & 1 ? mask_ : 0, not_b = node.b & 1 ? mask_ : 0;
    Table t(words_);
    for (std::size_t w = 0; w < words_; ++w) t[w] = (a[w] ^ not_a) & (b[w] ^ not_b);
    tables_[n] = std::move(t);
    remember(n);
  }

 private:
  // The first node with this table, or its complement, represents all others.
  void remember(std::uint32_t n) {
    const Table& t = tables_.at(n);
    const std::uint64_t flip = t[0] & 1 ? mask_ : 0;
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (std::uint64_t w : t) hash = (hash ^ w ^ flip) * 0xff51afd7ed558ccd, hash ^= hash >> 29;
    auto& same = by_hash_[hash];
    for (std::uint32_t m : same) {
      const Table& other = tables_.at(m);
      const std::uint64_t difference = (other[0] ^ t[0]) & 1 ? mask_ : 0;
      if (std::equal(t.begin(), t.end(), other.begin(),
                     [&](auto x, auto y) { return x == (y ^ difference); })) {
        if (instead_[n] == 2 * n) instead_[n] = 2 * m ^ (difference ? 1 : 0);
        return;
      }
    }
    same.push_back(n);
  }

  const Aig& aig_;
  std::vector<Literal>& instead_;
  std::size_t words_;
  std::uint64_t mask_ = ~std::uint64_t{0};
  std::unordered_map<std::uint32_t, Table> tables_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

// For every set, the largest superset that is tried.
std::vector<std::uint32_t> largest_around(const std::vector<Support>& sets) {
  std::vector<std::uint32_t> order, around(sets.size(), too_many);
  for (std::uint32_t i = 1; i < sets.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return sets[a].size() > sets[b].size(); });
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> with;  // groups with an input
  for (std::uint32_t s : order) {
    if (sets[s].empty()) continue;
    for (std::uint32_t g : with[sets[s][0]])
      if (std::includes(sets[g].begin(), sets[g].end(), sets[s].begin(), sets[s].end())) {
        around[s] = g;
        break;
      }
    if (around[s] != too_many) continue;
    around[s] = s;
    for (std::uint32_t input : sets[s]) with[input].push_back(s);
  }
  return around;
}

}  // namespace

Part sweep(const Part& part, Clock::time_point deadline) {
  const auto late = [&] { return Clock::now() > deadline; };
  const Aig& aig = part.aig;
  Supports supports;
  std::vector<std::uint32_t> of(aig.size(), too_many);
  of[0] = supports.number({});
  std::vector<Literal> instead(aig.size());
  for (std::uint32_t n = 0; n < aig.size(); ++n) {
    if (n % 65536 == 0 && late()) return part;
    instead[n] = 2 * n;
    if (aig.is_input(n)) of[n] = supports.number({n});
    if (n != 0 && !aig.is_input(n))
      of[n] = supports.joined(of[aig.node(n).a >> 1], of[aig.node(n).b >> 1]);
  }
  const auto around = largest_around(supports.sets());
  // Try all gates of a group: gates that only lead to gates of more inputs are worth it too.
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t n = 1; n < aig.size(); ++n)
    if (!aig.is_input(n) && around[of[n]] != too_many) members[around[of[n]]].push_back(n);
  // If an input of a gate belongs to another group, it is computed here again.
  for (const auto& [set, nodes] : members) {
    if (late()) break;
    std::vector<std::uint32_t> all, open = nodes;
    std::vector<std::uint32_t> seen;
    std::unordered_map<std::uint32_t, bool> is_there;
    while (!open.empty()) {
      const auto n = open.back();
      open.pop_back();
      if (n == 0 || aig.is_input(n) || !is_there.try_emplace(n, true).second) continue;
      all.push_back(n);
      for (Literal l : {aig.node(n).a, aig.node(n).b}) open.push_back(l >> 1);
    }
    std::sort(all.begin(), all.end());
    Group group(aig, supports.sets()[set], instead);
    for (std::uint32_t n : all) group.add(n);
  }
  return part_of(aig, part.outputs, instead);
}

}  // namespace kumiki::backends::proof
