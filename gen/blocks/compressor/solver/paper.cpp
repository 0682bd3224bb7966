// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/paper.h"

#include <algorithm>
#include <cmath>
#include <csignal>

#include <fmt/format.h>

#include "gen/blocks/compressor/messages.h"
#include "gen/blocks/compressor/solver/mip.h"
#include "gen/blocks/compressor/solver/relax.h"
#include "gen/blocks/compressor/solver/search.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::gen::compressor {
namespace {

struct Use {
  int variable;
  unsigned stage, column;
  const Gpc* gpc;
};

// x[s,c,g] counters, n[s,c] bits: n[s+1] >= Out and n[s+1] >= n[s] + Out - In.
struct PaperModel {
  PaperModel(const Shape& heap, unsigned stages) : shape(heap) {
    const double all = shape.total();
    const unsigned w = shape.width();
    std::vector<std::vector<int>> n(stages + 1, std::vector(w, -1));
    for (unsigned s = 1; s <= stages; ++s)
      for (unsigned c = 0; c < w; ++c) n[s][c] = mip.add(0, s == stages ? 2 : all, 0, false);
    for (unsigned s = 0; s < stages; ++s)
      for (unsigned c = 0; c < w; ++c)
        for (const Gpc& g : paper_gpcs())
          if (!g.atoms.empty() && c + widest(g) <= w)
            uses.push_back({mip.add(0, all, 1, true), s, c, &g});
    for (unsigned s = 0; s < stages; ++s) add_stage(s, n);
  }

  // Columns of a chain without its carry out. They must fit the heap; a carry above it is dropped.
  static std::size_t widest(const Gpc& g) {
    std::size_t width = 0;
    for (const auto& a : g.atoms) width += element(a).width();
    return std::max(width, g.inputs().size());
  }

  void add_stage(unsigned s, const std::vector<std::vector<int>>& n) {
    const unsigned w = shape.width();
    std::vector<std::vector<Mip::Term>> in(w), out(w);
    for (const Use& u : uses) {
      if (u.stage != s) continue;
      auto inputs = u.gpc->inputs();
      for (std::size_t o = 0; o < inputs.size() && u.column + o < w; ++o)
        in[u.column + o].emplace_back(u.variable, inputs[o]);
      for (unsigned o = 0; o < u.gpc->outputs() && u.column + o < w; ++o)
        out[u.column + o].emplace_back(u.variable, 1);
    }
    for (unsigned c = 0; c < w; ++c) {
      std::vector<Mip::Term> next{{n[s + 1][c], 1}};
      for (auto [v, f] : out[c]) next.emplace_back(v, -f);
      mip.row(next, 'G', 0);
      next.insert(next.end(), in[c].begin(), in[c].end());
      if (s > 0) next.emplace_back(n[s][c], -1);
      mip.row(next, 'G', s == 0 ? shape.bits[c] : 0);
    }
  }

  // The best of several starts: by columns, by stages, and by stages from last to first with
  // slightly perturbed costs, different in each try. Empty: none was found.
  std::vector<double> start(unsigned stages, int nodes, int seed, unsigned backward_tries,
                            Search& search) const {
    std::vector<double> best;
    auto attempt = [&](unsigned columns, const RelaxLimits& limits) {
      std::vector<std::vector<int>> parts(columns > 0 ? shape.width() / columns + 1 : stages);
      for (const Use& u : uses)
        parts[columns > 0 ? u.column / columns : u.stage].push_back(u.variable);
      std::vector<std::size_t> kinds(static_cast<std::size_t>(mip.size()), no_kind);
      for (const Use& u : uses) kinds[u.variable] = static_cast<std::size_t>(u.variable);
      auto x = relax_and_fix(with_wrong_costs(mip, kinds, limits.wrong, limits.seed),
                             std::move(parts), limits, search);
      if (x && (best.empty() || mip.cost_of(*x) < mip.cost_of(best))) best = std::move(*x);
    };
    for (unsigned columns : {0u, 2u})
      attempt(columns,
              {.nodes = nodes, .gap = 0.5, .seed = seed, .wrong = seed > 1 ? slightly : 0});
    for (unsigned i = 0; i < backward_tries; ++i)
      attempt(0, {.backwards = true,
                  .nodes = std::min(nodes, 2000),
                  .gap = 0.5,
                  .seed = seed + static_cast<int>(i),
                  .wrong = seed > 1 || i > 0 ? slightly : 0});
    return best;
  }

  Stage decode(unsigned s, const std::vector<double>& x) const {
    Stage stage;
    for (const Use& u : uses) {
      if (u.stage != s) continue;
      for (long i = std::lround(x[u.variable]); i > 0; --i) {
        const Element& first = element(u.gpc->atoms.front());
        if (!first.is_atom) {
          stage.counters.push_back({element_index(first.name), u.column});
          continue;
        }
        Chain chain{u.column, {}, Entry::none};
        for (const auto& a : u.gpc->atoms) chain.atoms.push_back(element_index(a));
        if (u.gpc->carry_in) chain.entry = first.takes_carry_in() ? Entry::pin : Entry::lead;
        stage.chains.push_back(std::move(chain));
      }
    }
    return stage;
  }

  Shape shape;
  Mip mip;
  std::vector<Use> uses;
};

}  // namespace

TreePlan solve_paper(const TreePlan& request, const SolveOptions& o) {
  if (request.shape.has_pairs())
    throw DesignError(code::paper_pairs,
                      "the paper's counters take no pairs; count them in a first layer");
  Search search(o);
  for (unsigned s = 0; s <= o.most_stages; ++s) {
    const bool fits = std::all_of(request.shape.bits.begin(), request.shape.bits.end(),
                                  [](unsigned n) { return n <= 2; });
    TreePlan plan = request;
    if (s == 0) {
      if (!fits) continue;
      plan.is_proven = true;
      return plan;
    }
    PaperModel model(request.shape, s);
    const int nodes = 200 << (2 * std::min(o.effort, 6u));
    // Solve one node first: it shows at once if the stages are too few.
    auto r = search.solve(model.mip, {.nodes = 1, .seed = o.seed});
    if (r.is_infeasible) continue;
    r = search.solve(model.mip, {.nodes = nodes, .seed = o.seed},
                     model.start(s, nodes, o.seed, 1u << std::min(o.effort, 4u), search));
    if (search.is_stopped() && !r.has_solution) throw Interrupted(SIGINT);
    if (!r.has_solution) continue;
    for (unsigned i = 0; i < s; ++i) plan.stages.push_back(model.decode(i, r.x));
    plan.bound = std::ceil(r.bound - 1e-6);
    plan.is_proven = r.is_proven;
    plan.is_stopped = search.is_stopped();
    audit(plan);
    return plan;
  }
  throw DesignError(code::no_tree,
                    fmt::format("no tree of up to {} stages of the paper's counters adds this heap",
                                o.most_stages));
}

}  // namespace kumiki::gen::compressor
