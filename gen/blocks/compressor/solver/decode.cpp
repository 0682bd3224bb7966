// SPDX-License-Identifier: Apache-2.0
// Converts counts of elements to chains, and back.
#include <algorithm>
#include <cmath>

#include "gen/blocks/compressor/messages.h"
#include "gen/blocks/compressor/solver/model.h"
#include "ir/error.h"

namespace kumiki::gen::compressor {
namespace {

unsigned whole(const std::vector<double>& x, int variable) {
  return variable < 0 ? 0 : static_cast<unsigned>(std::lround(x[variable]));
}

bool may_stay_open(const Chain& c) { return elements()[c.atoms.back()].last_di() >= 0; }
bool takes_carry_in(const Chain& c) { return elements()[c.atoms.front()].takes_carry_in(); }

// The atoms that start in a column. Those with an occupied carry pin come first, so they are joined
// to a chain before the others.
std::vector<std::size_t> atoms_starting(const TreeModel& m, const std::vector<double>& x,
                                        unsigned stage, unsigned column) {
  std::vector<std::size_t> atoms;
  for (const auto& use : m.uses)
    if (const Element& e = elements()[use.element];
        use.stage == stage && e.is_atom && use.column + e.first == column)
      atoms.insert(atoms.end(), whole(x, use.variable), use.element);
  std::stable_partition(atoms.begin(), atoms.end(),
                        [](std::size_t e) { return !elements()[e].takes_carry_in(); });
  return atoms;
}

// Places every chain whose carry comes through an exit after a chain that has an exit and no
// successor yet. If there is none, the carry gets a position of its own.
std::vector<Chain> order_chains(std::vector<Chain> chains, unsigned width, bool free_exits) {
  std::vector<Chain> ordered, behind;
  for (Chain& c : chains) (c.entry == Entry::exit ? behind : ordered).push_back(std::move(c));
  auto has_exit = [&](const Chain& c) { return c.column + c.width() < width && !c.is_open; };
  std::stable_partition(behind.begin(), behind.end(), has_exit);
  std::size_t at = 0;
  for (Chain& c : behind) {
    while (at < ordered.size() && (free_exits || !has_exit(ordered[at]))) ++at;
    if (at >= ordered.size()) {
      c.entry = Entry::lead;
      ordered.push_back(std::move(c));
      continue;
    }
    ordered.insert(ordered.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(c));
    ++at;  // the next chain may follow the one just placed
  }
  return ordered;
}

std::vector<Chain> chains_of(const TreeModel& m, const std::vector<double>& x, unsigned stage) {
  const unsigned width = m.request.shape.width();
  std::vector<Chain> done;
  std::vector<std::vector<Chain>> open(width + 1);  // by the column where they end
  for (unsigned c = 0; c < width; ++c) {
    auto atoms = atoms_starting(m, x, stage, c);
    auto& ending = open[c];
    // Chains whose carry cannot stay open grow first, then short ones.
    std::stable_sort(ending.begin(), ending.end(), [](const Chain& a, const Chain& b) {
      return std::pair(may_stay_open(a), a.width()) < std::pair(may_stay_open(b), b.width());
    });
    std::size_t joins = std::min<std::size_t>(whole(x, m.k[stage][c]), ending.size());
    const unsigned opened = whole(x, m.y[stage][c]);
    for (std::size_t i = 0; i < opened && i < ending.size() - joins; ++i)
      ending[ending.size() - 1 - i].is_open = true;
    const unsigned carries = whole(x, m.u[stage][c]);
    std::vector<Chain> begun;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      Chain chain;
      if (i < joins) {
        chain = std::move(ending[i]);
      } else {
        chain.column = c;
      }
      chain.atoms.push_back(atoms[i]);
      begun.push_back(std::move(chain));
    }
    // Uses as many carries through exits as the program plans, because exits have room for leaves.
    // Chains without a carry pin come first.
    unsigned exits = std::min(carries, whole(x, m.v[stage][c])), pins = carries - exits;
    auto enter = [&](unsigned& left, Entry entry, bool on_pins) {
      for (std::size_t i = joins; i < begun.size() && left > 0; ++i)
        if (begun[i].entry == Entry::none && takes_carry_in(begun[i]) == on_pins) {
          begun[i].entry = entry;
          --left;
        }
    };
    enter(exits, Entry::exit, false);
    enter(pins, Entry::pin, true);
    enter(exits, Entry::exit, true);
    done.insert(done.end(), std::make_move_iterator(ending.begin() + joins),
                std::make_move_iterator(ending.end()));
    for (Chain& chain : begun) open[chain.column + chain.width()].push_back(std::move(chain));
  }
  done.insert(done.end(), std::make_move_iterator(open[width].begin()),
              std::make_move_iterator(open[width].end()));
  std::stable_sort(done.begin(), done.end(), [](const Chain& a, const Chain& b) {
    return std::pair(a.column, a.width()) < std::pair(b.column, b.width());
  });
  return order_chains(std::move(done), width, m.request.free_exits);
}

}  // namespace

TreePlan TreeModel::decode(const std::vector<double>& x) const {
  TreePlan plan = request;
  plan.stages.assign(stages, {});
  for (unsigned s = 0; s < stages; ++s) {
    for (const Use& use : uses)
      if (use.stage == s && !compressor::elements()[use.element].is_atom)
        plan.stages[s].counters.insert(plan.stages[s].counters.end(), whole(x, use.variable),
                                       Counter{use.element, use.column});
    std::stable_sort(plan.stages[s].counters.begin(), plan.stages[s].counters.end(),
                     [](const Counter& a, const Counter& b) { return a.column < b.column; });
    plan.stages[s].chains = chains_of(*this, x, s);
  }
  return plan;
}

std::vector<double> TreeModel::encode(const TreePlan& plan) const {
  const unsigned w = request.shape.width();
  std::vector<double> x(static_cast<std::size_t>(mip.size()), 0.0);
  auto count = [&](unsigned stage, unsigned column, std::size_t element) {
    for (const Use& use : uses)
      if (use.stage == stage && use.column == column && use.element == element) {
        x[use.variable] += 1;
        return;
      }
    throw DesignError(code::wrong_element, "a tree with an element that this model does not have");
  };
  const Audit a = audit(plan);
  for (unsigned s = 0; s < stages; ++s) {
    std::vector<unsigned> left(w);
    auto leave = [&](const Element& e, unsigned column) {
      const auto& leaves = e.per_column.leaves;
      for (std::size_t o = 0; o < leaves.size() && column + o < w; ++o)
        left[column + o] += leaves[o];
    };
    for (const Counter& c : plan.stages[s].counters) {
      count(s, c.column, c.element);
      leave(compressor::elements()[c.element], c.column);
    }
    for (const Chain& chain : plan.stages[s].chains) {
      unsigned column = chain.column;
      for (std::size_t i = 0; i < chain.atoms.size(); ++i) {
        const Element& e = compressor::elements()[chain.atoms[i]];
        if (i > 0 && k[s][column] < 0)
          throw DesignError(code::wrong_element, "a chain where this model has none");
        if (i > 0) x[k[s][column]] += 1;
        count(s, column - e.first, chain.atoms[i]);
        column += e.width();
      }
      if (chain.is_open && y[s][column] < 0)
        throw DesignError(code::wrong_element, "an open carry where this model has none");
      if (chain.is_open) x[y[s][column]] += 1;
      if (chain.entry != Entry::none) x[u[s][chain.column]] += 1;
      if (chain.entry == Entry::exit) x[any[s]] = 1;
      if (chain.entry == Entry::lead) x[lead[s]] += 1;
      if (chain.entry > Entry::pin) x[v[s][chain.column]] += 1;
    }
    for (unsigned c = 0; c < w; ++c) {
      if (q[s][c] >= 0) x[q[s][c]] = a.levels[s].pairs[c] - a.levels[s + 1].pairs[c];
      x[n[s + 1][c]] = a.levels[s + 1].bits[c];
      if (m[s + 1][c] >= 0) x[m[s + 1][c]] = a.levels[s + 1].opens[c];
      if (r[s][c] >= 0)
        x[r[s][c]] =
            a.levels[s].opens[c] + left[c] + (c > 0 ? x[y[s][c]] : 0) - a.levels[s + 1].opens[c];
    }
  }
  const auto last = a.levels.back().all();
  for (unsigned c = finish_from(plan, last); c < w; ++c) x[t[c]] = 1;
  if (request.finish != Finish::carry) return x;
  x[t[w - 1]] = last[w - 1] > 0;
  double nets = 0, doubles = 0;
  for (unsigned c = 0; c < w; ++c) {
    x[f[c]] = std::max(0.0, last[c] - 1.0 + (c > 0 ? x[t[c - 1]] : 0));
    x[d[c]] = std::max(0.0, x[f[c]] - 1);
    nets += x[f[c]];
    doubles += x[d[c]];
  }
  x[positions] = std::ceil(std::max(nets / 5, doubles / 2));
  return x;
}

}  // namespace kumiki::gen::compressor
