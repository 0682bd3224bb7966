// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/runs.h"

#include <algorithm>

namespace kumiki::gen::compressor {
namespace {

// Positions of a chain, including those for its carry out and its carry in.
unsigned positions(const Chain& c, const TreePlan& plan) {
  const bool has_exit = !c.is_open && !plan.free_exits && c.column + c.width() < plan.shape.width();
  return c.width() + has_exit + (c.entry == Entry::lead);
}

unsigned follow(unsigned before, const Chain& c, const TreePlan& plan) {
  return (c.entry == Entry::exit ? before : 0) + positions(c, plan);
}

}  // namespace

unsigned longest_run(const TreePlan& plan) {
  unsigned longest = 0;
  for (const Stage& stage : plan.stages) {
    unsigned run = 0;
    for (const Chain& c : stage.chains) longest = std::max(longest, run = follow(run, c, plan));
  }
  return longest;
}

void split_runs(TreePlan& plan) {
  if (longest_run(plan) <= most_positions) return;
  unsigned most = audit(plan).luts();
  auto begins_free = [&](Chain& c) {
    if (c.entry != Entry::exit || !elements()[c.atoms.front()].takes_carry_in()) return false;
    c.entry = Entry::pin;
    const auto luts = luts_if_valid(plan);  // empty: a leaf or an open carry entered there
    if (luts && *luts <= most) return true;
    c.entry = Entry::exit;
    return false;
  };
  for (Stage& stage : plan.stages) {
    auto& chains = stage.chains;
    unsigned run = 0;
    std::size_t first = 0;  // of the run
    for (std::size_t i = 0; i < chains.size(); ++i) {
      if (chains[i].entry != Entry::exit) first = i;
      if (i > first && follow(run, chains[i], plan) > most_positions) {
        std::size_t at = i;
        while (at > first && !begins_free(chains[at])) --at;
        if (at == first) {
          chains[i].entry = Entry::lead;
          ++most;
          at = i;
        }
        first = i = at;
      }
      run = follow(run, chains[i], plan);
    }
  }
}

}  // namespace kumiki::gen::compressor
