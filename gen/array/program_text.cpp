// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "gen/array/program.h"
#include "gen/packing/plan_json.h"

namespace kumiki::gen::array {

std::string to_text(const std::vector<ProgramLayer>& layers) {
  std::size_t longest = 0;
  for (const ProgramLayer& l : layers) longest = std::max(longest, l.job.shape.name.size());
  std::string text;
  std::int64_t clocks = 0;
  for (const ProgramLayer& l : layers) {
    const Figures& f = l.figures;
    text +=
        fmt::format("  {:{}}  {} clocks, bound by {}; words: {} individual, {} common, {} out\n",
                    l.job.shape.name, longest, f.clocks, name(f.limit), f.individual_words,
                    f.common_words, f.output_words);
    clocks += f.clocks;
  }
  return layers.empty() ? text : fmt::format("network: {} clocks\n{}", clocks, text);
}

Json to_json(const std::vector<ProgramLayer>& layers) {
  Json all = Json::array();
  for (const ProgramLayer& l : layers) {
    const Figures& f = l.figures;
    all.push_back({{"name", l.job.shape.name},
                   {"formula_cycles", f.formula.cycles},
                   {"steps", f.steps},
                   {"predicted_clocks", f.clocks},
                   {"bound_by", name(f.limit)},
                   {"macs", f.formula.macs},
                   {"individual_words", f.individual_words},
                   {"common_words", f.common_words},
                   {"parameter_words", f.parameter_words},
                   {"output_words", f.output_words},
                   {"proofs", packing::to_json(l.certificate)}});
  }
  return all;
}

}  // namespace kumiki::gen::array
