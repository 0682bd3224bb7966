// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/tree.h"

namespace kumiki::gen::compressor {

std::vector<Beat> beats(const Datapath& path) {
  std::vector<Beat> all;
  const auto add = [&](const PortShape& p, const char* valid) {
    all.push_back({.port = p.name,
                   .formats = {{p.width, p.is_signed}},
                   .elements = {{"i", p.count}},
                   .of = {{"i", p.count, {{"i"}}}},
                   .what = p.name});
    if (path.latency > 0) all.back().when = {valid, "en"};
  };
  for (const PortShape& p : path.in) add(p, "in_valid");
  add(path.out, "out_valid");
  return all;
}

Json tree_json(const TreePlan& plan) {
  const Audit a = audit(plan);
  Json json{{"objective", name(plan.objective)},
            {"finish", name(plan.finish)},
            {"stages", plan.stages.size()},
            {"luts", a.luts()},
            {"gpcs", a.gpcs},
            {"longest_chain", a.longest_chain},
            {"bound", plan.bound},
            {"proven", plan.is_proven},
            {"tree", to_text(plan)}};
  if (plan.is_stopped) json["stopped"] = true;
  return json;
}

}  // namespace kumiki::gen::compressor
