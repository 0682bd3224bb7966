// SPDX-License-Identifier: Apache-2.0
// Proves that a comparison of a sum equals a comparison of the bits that represent it, using a
// proved relation between the sum and the bits.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "backends/formal/sums.h"

namespace kumiki::backends::proof {
namespace {

constexpr std::size_t most_together = 12;  // inputs that occur in products with each other
constexpr unsigned most_width = 40;        // of a sum
constexpr std::size_t most_hidden = 3;     // relations that may have to be added to another one

// The range of a polynomial with small integers. Its parts share no input; all cases of each part
// are tried.
struct Range {
  std::int64_t low = 0, high = 0;
};
std::optional<Range> range_of(const Polynomial& p) {
  const auto terms = p.terms();
  std::map<std::uint32_t, std::uint32_t> root;
  const auto find = [&](std::uint32_t n) {
    while (root.at(n) != n) n = root.at(n);
    return n;
  };
  for (const auto& t : terms)
    for (const auto n : t.monomial) {
      root.try_emplace(n, n);
      root[find(n)] = find(t.monomial.front());
    }
  std::map<std::uint32_t, std::vector<const Polynomial::Term*>> parts;
  Range range;
  for (const auto& t : terms) {
    if (t.monomial.empty())
      range.low += t.coefficient, range.high += t.coefficient;
    else
      parts[find(t.monomial.front())].push_back(&t);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> inputs;
  for (const auto& [n, r] : root) inputs[find(n)].push_back(n);
  for (const auto& [r, part] : parts) {
    const auto& in = inputs.at(r);
    if (in.size() > most_together) return std::nullopt;
    Range here{INT64_MAX, INT64_MIN};
    for (std::uint64_t c = 0; c < std::uint64_t{1} << in.size(); ++c) {
      std::int64_t sum = 0;
      for (const auto* t : part)
        if (std::all_of(t->monomial.begin(), t->monomial.end(), [&](auto n) {
              return c >> (std::lower_bound(in.begin(), in.end(), n) - in.begin()) & 1;
            }))
          sum += t->coefficient;
      here = {std::min(here.low, sum), std::max(here.high, sum)};
    }
    range = {range.low + here.low, range.high + here.high};
  }
  return range;
}

// A new graph: copies the gates of another graph over bits that are free here.
class Copy {
 public:
  explicit Copy(const Aig& from) : from_(from) { is_[0] = zero; }
  void free(std::uint32_t node) {
    if (!is_.contains(node)) is_[node] = aig.add_input();
  }
  bool is_there(std::uint32_t node) const { return is_.contains(node); }
  Literal of(Literal l) const { return is_.at(l >> 1) ^ (l & 1); }
  void copy(const Cone& cone) {
    for (const auto g : cone.gates)
      if (!is_.contains(g)) is_[g] = aig.both(of(from_.node(g).a), of(from_.node(g).b));
  }
  Aig aig;

 private:
  const Aig& from_;
  std::unordered_map<std::uint32_t, Literal> is_;
};

using Word = std::vector<Literal>;

Word plus(Aig& aig, const Word& a, const Word& b) {
  Word sum;
  Literal carry = zero;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Literal half = aig.differ(a[i], b[i]);
    sum.push_back(aig.differ(half, carry));
    carry = aig.either(aig.both(a[i], b[i]), aig.both(half, carry));
  }
  return sum;
}

Word constant(std::uint64_t n, unsigned bits) {
  Word w;
  for (unsigned i = 0; i < bits; ++i) w.push_back(n >> i & 1 ? one : zero);
  return w;
}

// Bits with their weights and a constant, modulo 2^bits.
struct Heap {
  std::vector<std::pair<Literal, std::int64_t>> bits;
  std::int64_t constant = 0;
};
Word sum_of(Aig& aig, const Heap& heap, unsigned bits) {
  std::vector<Word> columns(bits);
  std::int64_t rest = heap.constant;
  for (auto [l, weight] : heap.bits) {
    if (weight < 0) rest += weight, l = inverted(l), weight = -weight;
    for (unsigned c = 0; c < bits; ++c)
      if (weight >> c & 1) columns[c].push_back(l);
  }
  Word sum = constant(static_cast<std::uint64_t>(rest), bits);
  for (std::size_t row = 0;; ++row) {
    Word next(bits, zero);
    bool any = false;
    for (unsigned c = 0; c < bits; ++c)
      if (row < columns[c].size()) next[c] = columns[c][row], any = true;
    if (!any) return sum;
    sum = plus(aig, sum, next);
  }
}

// a <= b, of the same width
Literal at_most(Aig& aig, const Word& a, const Word& b) {
  Literal so = one;
  for (std::size_t i = 0; i < a.size(); ++i)
    so = aig.either(aig.both(inverted(a[i]), b[i]), aig.both(inverted(aig.differ(a[i], b[i])), so));
  return so;
}

std::uint64_t heaviest(const std::vector<Relation>& relations, std::int64_t least) {
  for (const auto w : relations.front()) least = std::max(least, w < 0 ? -w : w);
  return static_cast<std::uint64_t>(least);
}

}  // namespace

// The weighted bits minus the sum: 0 if both are equal. The sum is its polynomial plus `shift`.
std::optional<Polynomial> Sums::less_sum(const Cut& cut, const Relation& weights, unsigned modulus,
                                         const Polynomial& sum, std::int64_t shift,
                                         Clock::time_point deadline) {
  std::vector<Weighted> bits;
  std::size_t at = 0;
  for (const auto* list : {&cut.bits, &cut.sum.beside})
    for (const auto n : *list) bits.push_back({2 * n, static_cast<std::uint64_t>(weights[at++])});
  auto left =
      rewriting_.of(bits, static_cast<std::uint64_t>(weights.back() - shift), modulus, deadline);
  if (!left) return std::nullopt;
  for (const auto& [a, b] : cut.pairs)
    left->add(Monomial{std::min(a, b), std::max(a, b)}, static_cast<std::uint64_t>(weights[at++]));
  for (const auto& t : sum.terms())
    left->add(t.monomial, static_cast<std::uint64_t>(-t.coefficient));
  return left;
}

Answer Sums::compare(const Cut& cut, const std::vector<Relation>& relations, Literal gold,
                     Literal gate, Clock::time_point deadline) {
  const Word& word = *cut.sum.word;
  const auto width = static_cast<unsigned>(word.size());
  auto sum = rewriting_.of(weighted(word), 0, width, deadline);
  if (!sum || width > most_width) return Answer::unknown;
  // Of all integers that equal the sum modulo 2^width, the word is the one between 0 and 2^width.
  auto range = range_of(*sum);
  if (!range) return Answer::unknown;
  const std::int64_t full = std::int64_t{1} << width;
  std::int64_t shift = range->low / full * -full;
  if (range->low + shift < 0) shift += full;
  range = Range{range->low + shift, range->high + shift};
  if (range->low < 0 || range->high >= full) return Answer::unknown;
  const auto wanted = static_cast<unsigned>(std::bit_width(heaviest(relations, full - 1)));
  const auto is_sum = [&](const Relation& r, unsigned bits) {
    const auto left = less_sum(cut, r, bits, *sum, shift, deadline);
    return left && left->size() == 0;
  };
  // Proves the relation modulo 2, 4, 8 and so on, as far as possible. A bit that is 0 in all cases
  // also has a weight. The weight begins with the power of two at which the proof fails without it.
  Relation weights = relations.front();
  unsigned modulus = is_sum(weights, wanted) ? wanted : 0;
  for (bool goes_on = true; goes_on && modulus < wanted + 2; modulus += goes_on) {
    goes_on = false;
    for (unsigned subset = 0;
         !goes_on && subset < 1u << std::min(relations.size() - 1, most_hidden); ++subset) {
      Relation next = weights;
      for (std::size_t i = 1; i < relations.size(); ++i)
        for (std::size_t k = 0; k < next.size() && subset >> (i - 1) & 1; ++k)
          next[k] += relations[i][k] * (std::int64_t{1} << modulus);
      goes_on = is_sum(next, modulus + 1);
      if (goes_on) weights = std::move(next);
    }
  }
  if (modulus == 0) return Answer::unknown;

  Copy copy(aig_);
  for (const auto* list : {&cut.bits, &cut.sum.beside})
    for (const auto n : *list) copy.free(n);
  for (Literal l : word) copy.free(l >> 1);
  for (Literal l : {gold, gate}) {
    if (copy.is_there(l >> 1)) continue;
    const auto cone =
        cone_of(aig_, l >> 1, most_together * 16, [&](auto n) { return copy.is_there(n); });
    if (!cone || !std::all_of(cone->reads.begin(), cone->reads.end(),
                              [&](auto n) { return copy.is_there(n); }))
      return Answer::unknown;
    copy.copy(*cone);
  }
  Aig& aig = copy.aig;
  Word s;
  for (Literal l : word) s.push_back(copy.of(l));
  Literal legal =
      aig.both(at_most(aig, constant(static_cast<std::uint64_t>(range->low), width), s),
               at_most(aig, s, constant(static_cast<std::uint64_t>(range->high), width)));
  Heap heap{.bits = {}, .constant = weights.back()};
  std::size_t at = 0;
  for (const auto* list : {&cut.bits, &cut.sum.beside})
    for (const auto n : *list) heap.bits.emplace_back(copy.of(2 * n), weights[at++]);
  for (const auto& [a, b] : cut.pairs)
    heap.bits.emplace_back(aig.both(copy.of(2 * a), copy.of(2 * b)), weights[at++]);
  const Word worth = sum_of(aig, heap, modulus);
  for (unsigned i = 0; i < modulus; ++i)
    legal = aig.both(legal, inverted(aig.differ(worth[i], i < width ? s[i] : zero)));
  const auto found =
      solve(aig, {aig.both(legal, aig.differ(copy.of(gold), copy.of(gate)))}, {}, deadline);
  // Bits that are free here may never take such values in the circuit, so a difference proves
  // nothing.
  return found.answer == Answer::never ? Answer::never : Answer::unknown;
}

}  // namespace kumiki::backends::proof
