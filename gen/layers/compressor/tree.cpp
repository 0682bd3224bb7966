// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/tree.h"

#include <algorithm>

namespace kumiki::gen::compressor {

std::vector<Beat> beats(const Datapath& path) {
  std::vector<Beat> all;
  const auto add = [&](const PortShape& p, const char* valid) {
    all.push_back({.port = p.name,
                   .formats = {{static_cast<int>(p.width), p.is_signed}},
                   .elements = {{"i", p.count}},
                   .of = {{"i", p.count, {{"i"}}}},
                   .what = p.name});
    if (path.latency > 0) all.back().when = {valid, "en"};
  };
  for (const PortShape& p : path.in) add(p, "in_valid");
  add(path.out, "out_valid");
  return all;
}

std::optional<int> levels_between(const TreePlan& plan, std::uint32_t pipeline, unsigned latency) {
  if (latency == 0) return {};
  const Audit a = audit(plan);
  // A chain has up to two positions more than bits: where its carry enters and where it leaves.
  const unsigned blocks = (std::max(a.longest_chain, a.finish_positions) + 2 + 3) / 4;
  return static_cast<int>(1 + pipeline * (1 + blocks));
}

void write_tree(config::Writer& w, const TreePlan& plan) {
  const Audit a = audit(plan);
  w.member("objective", name(plan.objective));
  w.member("finish", name(plan.finish));
  w.member("stages", plan.stages.size());
  w.member("luts", a.luts());
  w.member("gpcs", a.gpcs);
  w.member("longest_chain", a.longest_chain);
  w.member("bound", plan.bound);
  w.member("proven", plan.is_proven);
  w.member("tree", to_text(plan));
  if (plan.is_stopped) w.member("stopped", true);
}

}  // namespace kumiki::gen::compressor
