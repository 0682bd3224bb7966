// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/lut_line.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "gen/blocks/const_matrix/rows.h"

namespace kumiki::gen::pipeline {
namespace {

using arith::Exact;
using arith::Interval;
using const_matrix::chain_of;
using const_matrix::Kind;
using const_matrix::Network;
using const_matrix::Node;
using const_matrix::Operand;
using const_matrix::Row;

// Canonical signed digits, the lowest first.
Row digits_of(std::int64_t factor) {
  return const_matrix::digits_of({{factor}}, {Interval{0, 1}}).outputs[0];
}

// Makes the lowest digit positive if that takes no more digits: -1 + 4 is 1 + 2, and the lowest bit
// of this sum passes by the chain.
Row with_positive_lowest(Row digits) {
  if (digits.size() < 2 || !digits[0].negative || digits[1].negative ||
      digits[1].shift != digits[0].shift + 2)
    return digits;
  digits[0].negative = false;
  --digits[1].shift;
  return digits;
}

// The number of an interval with the most zeros at its end.
Exact roundest(const Interval& all) {
  if (all.contains(0)) return 0;
  Exact best = all.lo;
  for (int zeros = 1; zeros < 100; ++zeros) {
    const Exact unit = arith::power_of_two(zeros);
    const Exact round = arith::ceil_div(all.lo, unit) * unit;
    if (!all.contains(round)) break;
    best = round;
  }
  return best;
}

class Ways {
 public:
  Ways(const arith::Line& line, const Interval& words) : line_(line), words_(words) {
    offset_ = static_cast<std::int64_t>(roundest(line.offsets));
    if (offset_ != 0) zeros_ = std::countr_zero(static_cast<std::uint64_t>(offset_));
    const Row digits = digits_of(line.factor), other = with_positive_lowest(digits);
    try_with(digits);
    if (other != digits) try_with(other);
    if (digits.size() > 2) with_factors();
  }
  std::optional<LutLine> best() const { return best_; }

 private:
  struct Made {
    Network network;
    std::vector<std::int64_t> factors;  // of the word, for each node
  };

  Made start() const {
    Made made{.network = {.nodes = {{.kind = Kind::input, .range = words_}}, .outputs = {}},
              .factors = {1}};
    if (offset_ != 0) {
      const std::int64_t odd = offset_ / (std::int64_t{1} << zeros_);
      made.network.nodes.push_back({.kind = Kind::input, .range = Interval::point(odd)});
      made.factors.push_back(0);
    }
    return made;
  }

  // Adds a chain of these operands; false: all three are negative.
  bool add(Made& made, const Row& of, bool with_offset = false) const {
    std::int64_t factor = 0;
    for (const Operand& o : of)
      factor += made.factors[o.node] * (std::int64_t{1} << o.shift) * (o.negative ? -1 : 1);
    Node node{.kind = Kind::chain, .of = of, .range = words_ * Exact{factor}};
    if (with_offset) {
      node.of.push_back({.node = 1, .shift = zeros_});
      node.range = node.range + offset_;
    }
    if (!chain_of(node.of, node.bits())) return false;
    made.network.nodes.push_back(std::move(node));
    made.factors.push_back(factor);
    return true;
  }
  static std::uint32_t last(const Made& made) {
    return static_cast<std::uint32_t>(made.network.nodes.size() - 1);
  }

  // Adds the last chain, with the offset.
  void finish(Made made, const Row& of) {
    if (of.size() == 1 && offset_ == 0) {
      made.network.outputs = {of[0]};
    } else {
      if (!add(made, of, offset_ != 0)) return;
      if (made.factors.back() != line_.factor) throw std::logic_error("a factor of another line");
      made.network.outputs = {Operand{.node = last(made)}};
    }
    const int cost = sites(made.network);
    if (best_ && std::tuple(cost_, best_->network.nodes.size()) <=
                     std::tuple(cost, made.network.nodes.size()))
      return;
    cost_ = cost;
    best_ = {.factor = line_.factor,
             .offset = offset_,
             .shift = line_.shift,
             .network = std::move(made.network)};
  }

  void try_with(const Row& all) {
    if (all.size() <= 2) {
      finish(start(), all);
      return;
    }
    if (all.size() == 3) with_inner(all, {});
    if (all.size() <= 4)
      for (std::size_t alone = 0; alone < all.size(); ++alone) {
        Row inner = all;
        inner.erase(inner.begin() + static_cast<std::ptrdiff_t>(alone));
        with_inner(inner, {all[alone]});
      }
    one_behind_the_other(all);
  }

  // Tries a chain of some digits, added to the word itself.
  void with_inner(const Row& digits, const Row& alone) {
    const int low = std::ranges::min(digits, {}, &Operand::shift).shift;
    for (const bool negative : {false, true}) {
      Row inner = digits;
      for (Operand& o : inner) {
        o.shift -= low;
        o.negative = o.negative != negative;
      }
      Made made = start();
      if (!add(made, inner)) continue;
      Row of{{.node = last(made), .shift = low, .negative = negative}};
      of.insert(of.end(), alone.begin(), alone.end());
      finish(std::move(made), of);
    }
  }

  // Tries a chain of two or three digits, whose result is used twice.
  void with_factors() {
    for (std::int64_t c = 3; c * c <= line_.factor * 4; c += 2) {
      if (line_.factor % c != 0) continue;
      for (const std::int64_t f : {c, line_.factor / c}) {
        const Row inner = with_positive_lowest(digits_of(f)),
                  outer = with_positive_lowest(digits_of(line_.factor / f));
        if (inner.size() > 3 || outer.size() > 2 || f == 1) continue;
        Made made = start();
        if (!add(made, inner)) continue;
        Row of = outer;
        for (Operand& o : of) o.node = last(made);
        finish(std::move(made), of);
      }
    }
  }

  // Tries a sequence of chains: the first adds three digits, each further one two more; the last
  // one adds the offset and the remaining digits.
  void one_behind_the_other(const Row& all) {
    Made made = start();
    Row of;
    const auto chain = [&] {
      const bool negative = std::ranges::all_of(of, &Operand::negative);
      for (Operand& o : of) o.negative = o.negative && !negative;
      if (!add(made, of)) throw std::logic_error("a chain that nothing is");
      of = {{.node = last(made), .negative = negative}};
    };
    for (const Operand& digit : all) {
      if (of.size() == 3) chain();
      of.push_back(digit);
    }
    if (of.size() == 3 && offset_ != 0) chain();
    finish(std::move(made), of);
  }

  const arith::Line& line_;
  const Interval& words_;
  std::int64_t offset_ = 0;
  int zeros_ = 0;  // at the end of the offset
  std::optional<LutLine> best_;
  int cost_ = 0;
};

}  // namespace

LutLine cheapest(const std::vector<arith::Line>& lines, const Interval& words) {
  std::optional<LutLine> best;
  const auto cost = [](const LutLine& l) {
    return std::tuple(sites(l.network), l.network.nodes.size());
  };
  for (const arith::Line& line : lines)
    if (auto way = Ways(line, words).best(); way && (!best || cost(*way) < cost(*best)))
      best = std::move(way);
  return best.value();
}

}  // namespace kumiki::gen::pipeline
