// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/rows.h"

#include <algorithm>

namespace kumiki::gen::compressor {
namespace {

using Counts = std::vector<unsigned>;

// The elements by number, so that names are looked up once.
struct Rows {
  std::size_t six = element_index("A06"), two = element_index("A2"), adder = element_index("fa");
};
const Rows& rows() {
  static const Rows all;
  return all;
}

// One stage from low columns to high ones.
class RowStage {
 public:
  RowStage(Counts heights, unsigned cap, unsigned worth, unsigned early)
      : rest_(std::move(heights)),
        out_(rest_.size() + 1),
        cap_(cap),
        worth_(worth),
        early_(early) {}

  Stage build() {
    const unsigned w = width();
    // The last stage takes only what it must; the other stages take whatever pays.
    const bool last = cap_ == 2;
    const unsigned worth = last ? 4 : worth_;
    for (unsigned c = 0; c + 2 <= w; ++c)
      while (rest_[c] >= worth && (!last || height(c) > cap_)) add_chain(c, worth);
    for (unsigned c = 0; c < w; ++c)
      while (height(c) > limit(c) && rest_[c] >= 2)
        rest_[c] >= 3 ? add_full_adder(c) : add_half_adder(c);
    return std::move(stage_);
  }

 private:
  unsigned width() const { return static_cast<unsigned>(rest_.size()); }
  // The top column must be finished now: atoms do not fit there, so later stages cannot reduce it.
  unsigned limit(unsigned c) const { return c + 1 == width() ? 2 : cap_; }
  unsigned height(unsigned c) const { return rest_[c] + out_[c]; }

  void add_chain(unsigned c, unsigned worth) {
    Chain chain{.column = c, .atoms = {}};
    for (; c + 2 <= width() && rest_[c] >= worth; c += 2) {
      chain.atoms.push_back(rows().six);
      rest_[c] -= std::min(6u, rest_[c]);
      ++out_[c], ++out_[c + 1];
    }
    // The chain continues while its carry would be one bit too many, or would take the last room.
    for (; c < width() && height(c) + 1 + early_ > limit(c) && rest_[c] > 0; ++c) {
      chain.atoms.push_back(rows().two);
      rest_[c] -= std::min(2u, rest_[c]);
      ++out_[c];
    }
    ++out_[c];
    stage_.chains.push_back(std::move(chain));
  }

  void add_full_adder(unsigned c) {
    stage_.counters.push_back({rows().adder, c});
    rest_[c] -= 3;
    ++out_[c], ++out_[c + 1];
  }

  void add_half_adder(unsigned c) {
    stage_.chains.push_back({.column = c, .atoms = {rows().two}});
    rest_[c] -= 2;
    ++out_[c], ++out_[c + 1];
  }

  Counts rest_, out_;
  unsigned cap_, worth_, early_;
  Stage stage_;
};

// More than two rows may remain.
TreePlan tree(const Shape& shape, unsigned stages, unsigned worth, unsigned early) {
  TreePlan plan{.shape = shape, .free_exits = true};
  Shape rest = shape;
  for (unsigned s = 0; s < stages; ++s) {
    // A stage reduces six rows to two.
    unsigned cap = 2;
    for (unsigned i = s + 1; i < stages && cap < 1u << 20; ++i) cap *= 3;
    plan.stages.push_back(RowStage(rest.bits, cap, worth, early).build());
    rest = next_shape(rest, plan, s);
  }
  return plan;
}

}  // namespace

std::optional<TreePlan> row_tree(const Shape& shape, unsigned stages) {
  if (shape.has_pairs()) return std::nullopt;
  std::optional<TreePlan> best;
  std::optional<unsigned> least;
  for (unsigned early : {0u, 1u})
    for (unsigned worth : {6u, 5u, 4u}) {
      TreePlan plan = tree(shape, stages, worth, early);
      const auto luts = luts_if_valid(plan);
      if (luts && (!least || *luts < *least)) least = luts, best = std::move(plan);
    }
  return best;
}

}  // namespace kumiki::gen::compressor
