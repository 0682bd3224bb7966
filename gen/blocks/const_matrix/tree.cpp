// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>

namespace kumiki::gen::const_matrix {
namespace {

class Trees {
 public:
  Trees(const Sums& sums, const TreeRules& rules) : rules_(rules) {
    const std::size_t inputs = sums.inputs.size();
    for (std::size_t i = 0; i < inputs; ++i) {
      network_.nodes.push_back({.kind = Kind::input, .range = sums.inputs[i]});
      Factors one(inputs, 0);
      one[i] = 1;
      factors_.push_back(std::move(one));
      depth_.push_back(0);
      readers_.emplace_back();
      place_.push_back({static_cast<std::uint32_t>(i), 0, false});
    }
    for (const Row& row : sums.shared) place_.push_back(cheapest(terms_of(row), false));
    for (const Row& row : sums.outputs) {
      if (row.empty())
        network_.outputs.push_back(std::nullopt);
      else
        network_.outputs.push_back(cheapest(terms_of(row), true));
    }
  }
  Network take() { return std::move(network_); }

 private:
  // The operands of a row, as nodes of the network.
  Row terms_of(const Row& row) const {
    Row terms;
    for (const Operand& o : row) {
      const Operand& at = place_[o.node];
      terms.push_back({at.node, at.shift + o.shift, at.negative != o.negative});
    }
    return terms;
  }

  // The range of the terms as if they shared no input; good enough to choose by.
  Interval rough(std::span<const Operand> of) const {
    Interval all;
    for (const Operand& o : of) {
      const Interval& range = network_.nodes[o.node].range;
      all.lo += (o.negative ? -range.hi : range.lo) << o.shift;
      all.hi += (o.negative ? -range.lo : range.hi) << o.shift;
    }
    return all;
  }
  // Positions of a chain after removing the lowest shift.
  int positions(std::span<const Operand> of) const {
    int low = of[0].shift, second = 1 << 20;
    for (std::size_t i = 1; i < of.size(); ++i) {
      const int s = of[i].shift;
      second = std::min(second, std::max(s, low));
      low = std::min(low, s);
    }
    const Interval range = rough(of);
    return std::max(bits_of(range), bits_of(-range)) - second;
  }

  bool fits(const Row& terms, std::span<const Operand> of) const {
    if (rules_.depth >= depth_without_limit) return true;
    const double base = rules_.arity;
    double room = std::pow(base, rules_.depth);
    for (const Operand& o : terms) room -= std::pow(base, depth_[o.node]);
    int deepest = 0;
    for (const Operand& o : of) {
      room += std::pow(base, depth_[o.node]);
      deepest = std::max(deepest, depth_[o.node]);
    }
    return room >= std::pow(base, deepest + 1);
  }

  using Choice = std::vector<std::size_t>;

  // The indices of the terms, in ascending order, that cost least on a chain of `count`.
  Choice choose(const Row& terms, std::size_t count) const {
    constexpr std::size_t near = 7;  // terms of similar shifts are neighbours
    Choice best;
    double least = 0;
    const auto consider = [&](std::initializer_list<std::size_t> places) {
      std::array<Operand, 3> of;
      std::size_t n = 0;
      int deepest = 0;
      for (const std::size_t p : places) {
        of[n++] = terms[p];
        deepest = std::max(deepest, depth_[terms[p].node]);
      }
      const std::span<const Operand> chosen(of.data(), n);
      const double cost = positions(chosen) + 0.01 * deepest;
      if ((best.empty() || cost < least) && fits(terms, chosen)) {
        least = cost;
        best = places;
      }
    };
    const std::size_t n = terms.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = i + 1; k < std::min(n, i + near); ++k) {
        if (count == 2)
          consider({i, k});
        else
          for (std::size_t l = k + 1; l < std::min(n, i + near); ++l) consider({i, k, l});
      }
    if (!best.empty()) return best;
    // No choice keeps the depth: take the earliest terms.
    Choice all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = i;
    std::ranges::stable_sort(all, {}, [&](std::size_t i) { return depth_[terms[i].node]; });
    all.resize(count);
    std::ranges::sort(all);
    return all;
  }

  // The sum of a row; uses tables for those of its inputs where they cost less.
  Operand cheapest(const Row& row, bool is_output) {
    Row terms = row;
    int least = -1;
    for (const auto& group : groups(row)) {
      if (least < 0) least = trial(terms, is_output);
      Row in, with;
      for (const Operand& o : terms)
        (std::ranges::count(group, o.node) > 0 ? in : with).push_back(o);
      if (in.size() < 2) continue;
      const State before = state();
      with.push_back(table(in));
      const int cost = cost_since(before.nodes) + trial(with, is_output);
      if (cost >= least) {
        restore(before);
        continue;
      }
      least = cost - cost_since(before.nodes);
      terms = std::move(with);
    }
    return sum(std::move(terms), is_output);
  }

  // Inputs of a row that fill the pins of a LUT; first those for a LUT that makes two functions.
  std::vector<std::vector<std::uint32_t>> groups(const Row& row) const {
    std::vector<std::uint32_t> inputs;
    for (const Operand& o : row)
      if (network_.nodes[o.node].kind == Kind::input && std::ranges::count(inputs, o.node) == 0)
        inputs.push_back(o.node);
    std::vector<std::vector<std::uint32_t>> all;
    for (const int most : {table_inputs - 1, table_inputs}) {
      std::vector<std::uint32_t> group;
      int bits = 0;
      for (const auto i : inputs) {
        const int own = network_.nodes[i].bits();
        if (bits + own > most && !group.empty()) {
          all.push_back(std::move(group));
          group.clear();
          bits = 0;
        }
        if (own > most) continue;
        group.push_back(i);
        bits += own;
      }
      if (!group.empty()) all.push_back(std::move(group));
    }
    return all;
  }

  struct State {
    std::size_t nodes;
  };
  State state() const { return {network_.nodes.size()}; }
  void restore(const State& s) {
    for (std::size_t i = network_.nodes.size(); i-- > s.nodes;)
      readers_[network_.nodes[i].of[0].node].pop_back();
    readers_.resize(s.nodes);
    network_.nodes.resize(s.nodes);
    factors_.resize(s.nodes);
    depth_.resize(s.nodes);
  }
  int cost_since(std::size_t first) const {
    int cost = 0;
    for (std::size_t i = first; i < network_.nodes.size(); ++i)
      cost += sites(network_, network_.nodes[i]);
    return cost;
  }
  // The cost of a row's chains; discards the chains.
  int trial(const Row& terms, bool is_output) {
    const State before = state();
    sum(terms, is_output);
    const int cost = cost_since(before.nodes);
    restore(before);
    return cost;
  }

  // A table of these operands, which read few bits. Reuses an equal table.
  Operand table(Row of) {
    int low = of[0].shift;
    for (const Operand& o : of) low = std::min(low, o.shift);
    for (Operand& o : of) o.shift -= low;
    return {node(Kind::table, std::move(of)), low, false};
  }

  Operand sum(Row terms, bool is_output) {
    const auto in_order = [this](const Operand& o) {
      return std::tuple(o.shift, o.shift + network_.nodes[o.node].bits(), o.node);
    };
    std::ranges::stable_sort(terms, {}, in_order);
    while (terms.size() > 1) {
      const bool three = rules_.arity == 3 && terms.size() % 2 == 1;
      const Choice places = choose(terms, three ? 3 : 2);
      Row of;
      for (auto at = places.rbegin(); at != places.rend(); ++at) {
        of.push_back(terms[*at]);
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(*at));
      }
      const Operand made = chain(of, is_output && terms.empty());
      const auto at = std::ranges::upper_bound(terms, in_order(made), {}, in_order);
      terms.insert(at, made);
    }
    if (is_output && terms[0].negative) return chain({terms[0]}, true);
    return terms[0];
  }

  // A chain of these operands, or of their negatives: the operand that passes by should be
  // positive.
  Operand chain(Row of, bool keeps_sign) {
    int low = of[0].shift;
    for (const Operand& o : of) low = std::min(low, o.shift);
    const auto most = rules_.arity == 3 ? 2 : 1;
    const auto negatives = std::ranges::count(of, true, &Operand::negative);
    bool turn = false;
    if (!keeps_sign) {
      int positive = 0, negative = 0;  // among those with the lowest shift
      for (const Operand& o : of)
        if (o.shift == low) ++(o.negative ? negative : positive);
      turn = positive == 0 || (negative > 0 && negatives * 2 > static_cast<int>(of.size()));
    }
    if ((turn ? static_cast<int>(of.size()) - negatives : negatives) > most && of.size() > 1)
      turn = !turn;
    for (Operand& o : of) {
      o.shift -= low;
      o.negative = o.negative != turn;
    }
    return {node(Kind::chain, std::move(of)), low, turn};
  }

  std::uint32_t node(Kind kind, Row of) {
    std::ranges::sort(of, {},
                      [](const Operand& o) { return std::tuple(o.shift, o.node, o.negative); });
    std::vector<std::uint32_t>& readers = readers_[of[0].node];
    for (const std::uint32_t i : readers)
      if (network_.nodes[i].kind == kind && network_.nodes[i].of == of) return i;
    readers.push_back(static_cast<std::uint32_t>(network_.nodes.size()));
    readers_.emplace_back();
    Factors factors(factors_[0].size(), 0);
    int depth = 0;
    for (const Operand& o : of) {
      for (std::size_t i = 0; i < factors.size(); ++i)
        factors[i] += (o.negative ? -1 : 1) * (factors_[o.node][i] << o.shift);
      depth = std::max(depth, depth_[o.node]);
    }
    Interval range;
    for (std::size_t i = 0; i < factors.size(); ++i)
      range = range + network_.nodes[i].range * arith::Exact{factors[i]};
    network_.nodes.push_back({.kind = kind, .of = std::move(of), .range = range});
    factors_.push_back(std::move(factors));
    depth_.push_back(depth + 1);
    return static_cast<std::uint32_t>(network_.nodes.size() - 1);
  }

  TreeRules rules_;
  Network network_;
  std::vector<Factors> factors_;
  std::vector<int> depth_;
  std::vector<std::vector<std::uint32_t>> readers_;  // nodes by their first operand
  std::vector<Operand> place_;                       // of inputs and shared sums
};

}  // namespace

Sums dissolved(Sums sums, const TreeRules& rules) {
  const std::uint32_t first = sums.first_shared();
  const auto chains = [&](std::size_t terms) { return rules.arity == 3 ? terms / 2 : terms - 1; };
  const auto rows = [&](const auto& f) {
    for (Row& row : sums.shared) f(row);
    for (Row& row : sums.outputs) f(row);
  };
  for (bool again = true; again;) {
    again = false;
    std::vector<std::vector<Row*>> readers(sums.shared.size());
    rows([&](Row& row) {
      for (const Operand& o : row)
        if (o.node >= first) readers[o.node - first].push_back(&row);
    });
    for (std::uint32_t s = static_cast<std::uint32_t>(sums.shared.size()); s-- > 0;) {
      const std::size_t own = sums.shared[s].size();
      if (own == 0) continue;
      std::int64_t before = static_cast<std::int64_t>(chains(own)), after = 0;
      std::size_t uses = 0;
      std::ranges::sort(readers[s]);
      readers[s].erase(std::unique(readers[s].begin(), readers[s].end()), readers[s].end());
      for (const Row* row : readers[s]) {
        const auto n =
            static_cast<std::size_t>(std::ranges::count(*row, first + s, &Operand::node));
        uses += n;
        before += static_cast<std::int64_t>(chains(row->size()));
        after += static_cast<std::int64_t>(chains(row->size() + n * (own - 1)));
      }
      if (own > 1 && uses > 0 && after >= before + (uses == 1 ? 1 : 0)) continue;
      for (const Operand& o : sums.shared[s])
        if (o.node >= first)
          readers[o.node - first].insert(readers[o.node - first].end(), readers[s].begin(),
                                         readers[s].end());
      dissolve(sums, s);
      again = true;
    }
  }
  return ordered(std::move(sums));
}

Network trees_of(const Sums& sums, const TreeRules& rules) { return Trees(sums, rules).take(); }

}  // namespace kumiki::gen::const_matrix
