// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "gen/blocks/compressor/messages.h"
#include "ir/error.h"

namespace kumiki::gen::compressor {

unsigned Shape::total() const {
  return std::accumulate(bits.begin(), bits.end(), 0u) +
         std::accumulate(pairs.begin(), pairs.end(), 0u);
}

unsigned Shape::height() const {
  unsigned most = 0;
  for (unsigned c = 0; c < width(); ++c) most = std::max(most, bits[c] + pairs[c]);
  return most;
}

unsigned Shape::nets() const { return total() + std::accumulate(pairs.begin(), pairs.end(), 0u); }

bool Shape::has_pairs() const {
  return std::any_of(pairs.begin(), pairs.end(), [](unsigned p) { return p > 0; });
}

Shape popcount_shape(unsigned n) {
  Shape s;
  s.bits.assign(std::max<std::size_t>(1, std::bit_width(n)), 0);
  s.pairs.assign(s.bits.size(), 0);
  s.bits[0] = n;
  return s;
}

unsigned Chain::width() const {
  unsigned w = 0;
  for (auto a : atoms) w += elements()[a].width();
  return w;
}

const char* name(Objective o) {
  constexpr const char* names[] = {"stages", "area", "delay", "paper", "luts"};
  return names[static_cast<int>(o)];
}

const char* name(Finish f) {
  constexpr const char* names[] = {"row", "ternary", "carry"};
  return names[static_cast<int>(f)];
}

std::vector<unsigned> Audit::Level::all() const {
  auto n = bits;
  for (std::size_t c = 0; c < n.size(); ++c) n[c] += opens[c];
  return n;
}

namespace {

using Counts = std::vector<unsigned>;

void add(Counts& to, const Counts& counts, unsigned column) {
  for (std::size_t o = 0; o < counts.size(); ++o)
    if (column + o < to.size()) to[column + o] += counts[o];
}

// The room of the elements of a stage and their outputs.
struct Traffic {
  explicit Traffic(unsigned width)
      : in(width),
        room(width),
        open_room(width),
        wide_room(width),
        injected(width),
        out(width),
        opened(width),
        left(width),
        wide(width) {}
  Counts in, room, open_room, wide_room, injected, out, opened;
  Counts left, wide;  // leaves of three nets and of five
};

// The first mistake of a plan; empty: none so far.
using Wrong = std::optional<Diagnostic>;
Wrong wrong(Code code, std::string text) {
  return Diagnostic{.code = code, .wrong = std::move(text)};
}

Wrong count_element(Traffic& t, const Element& e, unsigned column, unsigned stage) {
  if (column < e.first)
    return wrong(code::beyond_heap,
                 fmt::format("stage {}: {} takes bits of the column below, there is none",
                             stage + 1, e.name));
  column -= e.first;
  if (e.span() > t.in.size() || column > t.in.size() - e.span())
    return wrong(code::beyond_heap,
                 fmt::format("stage {}: {} in column {} reaches beyond the top column {}",
                             stage + 1, e.name, column + e.first, t.in.size() - 1));
  const Element::PerColumn& n = e.per_column;
  add(t.in, n.inputs, column);
  add(t.room, n.pairs, column);
  add(t.open_room, n.opens, column);
  add(t.wide_room, n.wides, column);
  add(t.left, n.leaves, column);
  add(t.wide, n.wide_leaves, column);
  add(t.out, n.outputs, column);
  return {};
}

Wrong count_chains(Traffic& t, const TreePlan& plan, unsigned stage, Audit& a) {
  const unsigned w = plan.shape.width();
  bool exit_before = false;  // the previous chain left through a position
  for (const Chain& chain : plan.stages[stage].chains) {
    auto where = [&] {
      return fmt::format("stage {}, chain in column {}", stage + 1, chain.column);
    };
    if (chain.atoms.empty()) return wrong(code::wrong_element, where() + ": no atoms");
    if (chain.column >= w)
      return wrong(code::beyond_heap, fmt::format("{}: the top column is {}", where(), w - 1));
    unsigned column = chain.column;
    for (auto index : chain.atoms) {
      const Element& e = elements()[index];
      if (!e.is_atom)
        return wrong(code::wrong_element,
                     fmt::format("{}: {} is not a carry atom", where(), e.name));
      if (Wrong w = count_element(t, e, column, stage)) return w;
      column += e.width();
      a.tree_luts += e.area();
    }
    const Element& first = elements()[chain.atoms.front()];
    if (chain.entry == Entry::exit && (!exit_before || plan.free_exits))
      return wrong(code::no_carry_here,
                   where() + ": stands behind no exit that could give it a carry");
    if (chain.entry == Entry::pin && !first.takes_carry_in())
      return wrong(code::no_carry_here,
                   fmt::format("{}: a carry cannot enter {}, whose first position is bypassed",
                               where(), first.name));
    if (chain.entry == Entry::lead) ++a.tree_luts;
    if (chain.entry != Entry::none) ++t.in[chain.column];
    if (chain.entry > Entry::pin) ++t.injected[chain.column];
    if (chain.is_open && (plan.free_exits || plan.shape.has_pairs()))
      return wrong(code::no_carry_here,
                   where() +
                       ": a carry stays open only where exits cost a position and no "
                       "raw pairs want the same room");
    if (chain.is_open && (column >= w || elements()[chain.atoms.back()].last_di() < 0))
      return wrong(code::no_carry_here, fmt::format("{}: the carry of {} cannot stay open here",
                                                    where(), elements()[chain.atoms.back()].name));
    if (chain.is_open) ++t.opened[column];
    exit_before = column < w && !chain.is_open;
    if (exit_before) {
      ++t.out[column];
      if (!plan.free_exits) ++a.tree_luts;
    }
    ++a.gpcs;
    a.longest_chain = std::max(a.longest_chain, column - chain.column);
  }
  return {};
}

// Adds the level behind a stage.
Wrong add_level(Audit& a, const Traffic& t, unsigned stage) {
  const Audit::Level& now = a.levels.back();
  Audit::Level next = now;
  for (std::size_t c = 0; c < now.bits.size(); ++c) {
    unsigned pairs = std::min(now.pairs[c], t.room[c]);
    next.pairs[c] -= pairs;
    if (t.wide[c] > t.wide_room[c] + t.injected[c])
      return wrong(
          code::no_room_for_leaves,
          fmt::format("stage {}, column {}: {} leaves of five nets, but room for {} of them (B2, "
                      "and carries that enter through an exit or a lead)",
                      stage + 1, c, t.wide[c], t.wide_room[c] + t.injected[c]));
    const unsigned open_room = t.open_room[c] + t.injected[c] - t.wide[c];
    const unsigned opens = std::min(now.opens[c] + t.left[c], open_room);
    next.opens[c] = now.opens[c] + t.left[c] - opens + t.opened[c];
    unsigned room = t.in[c] - pairs - opens - t.wide[c];
    next.bits[c] = now.bits[c] - std::min(now.bits[c], room) + t.out[c];
  }
  a.levels.push_back(std::move(next));
  return {};
}

}  // namespace

unsigned finish_from(const TreePlan& plan, const std::vector<unsigned>& last) {
  // The top bit of a comparison is not part of its chain.
  auto end = last.end() - (plan.finish == Finish::carry ? 1 : 0);
  auto first = std::find_if(last.begin(), end, [](unsigned n) { return n > 1; });
  return first == end ? plan.shape.width() : static_cast<unsigned>(first - last.begin());
}

bool ends_in_luts(const TreePlan& plan, const Audit::Level& last) {
  if (!is_timed(plan.objective) || plan.finish == Finish::ternary) return false;
  unsigned nets = 0;
  for (unsigned c = finish_from(plan, last.all()); c < plan.shape.width(); ++c)
    nets += last.bits[c] + 3 * last.opens[c];
  return nets <= 6;
}

namespace {

// Carry positions of a comparison. A bit of the first column enters as the carry. Columns with at
// most five nets together share a position.
unsigned comparison_positions(const Counts& last, unsigned first) {
  const unsigned top = static_cast<unsigned>(last.size()) - 1;
  if (first >= top) return last[top] > 1;  // no chain: one bit or the other
  unsigned positions = 1, nets = last[first] - 1;
  for (unsigned c = first + 1; c <= top; ++c) {
    nets += last[c];
    if (nets <= 5) continue;
    ++positions;
    nets = last[c];
  }
  return positions;
}

Wrong audit_finish(const TreePlan& plan, Audit& a) {
  const auto& last = a.levels.back();
  const unsigned w = plan.shape.width(), rows = final_rows(plan);
  const unsigned first = finish_from(plan, last.all());
  const bool carry = plan.finish == Finish::carry;
  for (unsigned c = 0; c < w; ++c) {
    if (last.pairs[c] > 0)
      return wrong(code::bits_left_over,
                   fmt::format("column {}: {} pairs are left over", c, last.pairs[c]));
    if (last.opens[c] > (plan.finish == Finish::row))
      return wrong(code::bits_left_over,
                   fmt::format("column {}: {} open carries are left over", c, last.opens[c]));
    // At most one bit of a comparison's top column can be 1.
    unsigned legal = c == first ? rows + 1 : rows;
    if (last.bits[c] + last.opens[c] > legal)
      return wrong(code::bits_left_over,
                   fmt::format("column {}: {} bits are left, but the final adder takes {}", c,
                               last.bits[c] + last.opens[c], legal));
  }
  const bool in_luts = ends_in_luts(plan, last);
  a.finish_luts = !carry ? w - first : in_luts ? first < w : comparison_positions(last.bits, first);
  a.finish_positions = in_luts ? 0 : a.finish_luts;
  // An open carry to which nothing is added becomes a bit in a LUT.
  for (unsigned c = 0; c < first; ++c) a.finish_luts += last.opens[c];
  return {};
}

}  // namespace

unsigned final_rows(const TreePlan& plan) { return plan.finish == Finish::ternary ? 3 : 2; }

namespace {

// Follows one stage: adds its cost and the level behind it.
Wrong follow(const TreePlan& plan, unsigned stage, Audit& a) {
  Traffic t(plan.shape.width());
  for (const Counter& c : plan.stages[stage].counters) {
    const Element& e = elements()[c.element];
    if (e.is_atom)
      return wrong(code::wrong_element,
                   fmt::format("stage {}: {} is not a counter", stage + 1, e.name));
    if (Wrong w = count_element(t, e, c.column, stage)) return w;
    a.tree_luts += e.area();
    ++a.gpcs;
  }
  if (Wrong w = count_chains(t, plan, stage, a)) return w;
  return add_level(a, t, stage);
}

Audit begun(const Shape& heap) {
  Audit a;
  a.levels.push_back({heap.bits, heap.pairs, Counts(heap.width())});
  return a;
}

Wrong follow(const TreePlan& plan, Audit& a) {
  if (plan.shape.pairs.size() != plan.shape.width())
    return wrong(code::other_heap, "a shape has bits and pairs of every column");
  for (unsigned s = 0; s < plan.stages.size(); ++s)
    if (Wrong w = follow(plan, s, a)) return w;
  return audit_finish(plan, a);
}

}  // namespace

Shape next_shape(const Shape& before, const TreePlan& plan, unsigned stage) {
  Audit a = begun(before);
  if (const Wrong w = follow(plan, stage, a)) throw DesignError(*w);
  return {std::move(a.levels.back().bits), std::move(a.levels.back().pairs)};
}

Audit audit(const TreePlan& plan) {
  Audit a = begun(plan.shape);
  if (const Wrong w = follow(plan, a)) throw DesignError(*w);
  return a;
}

std::optional<unsigned> luts_if_valid(const TreePlan& plan) {
  Audit a = begun(plan.shape);
  return follow(plan, a) ? std::nullopt : std::optional(a.luts());
}

}  // namespace kumiki::gen::compressor
