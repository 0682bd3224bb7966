// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gen/layers/array/program.h"
#include "gen/layers/common/packing_json.h"

namespace kumiki::gen::array {

namespace {

double made(const LayerJob& job) {
  const bool mean = job.pool.kind == PoolKind::average;
  return std::ldexp(job.multiplier_of(0), -job.shift_of(0)) *
         (mean ? job.pool.size * job.pool.size : 1);
}

bool one_for_all(const LayerJob& job) {
  return std::ranges::all_of(job.multiplier, [&](auto m) { return m == job.multiplier[0]; }) &&
         std::ranges::all_of(job.shift, [&](auto s) { return s == job.shift[0]; });
}

// Where the numbers come from, and what became of a scale.
std::string numbers_text(const LayerJob& job) {
  std::string text = job.weights.random()
                         ? fmt::format("random weights of {} bits", job.weights.bits())
                         : fmt::format("weights given");
  if (job.own_input) text += ", input from the host";
  if (!one_for_all(job)) return text + ", multiplier and shift of each output channel given";
  const auto factor = job.multiplier.empty()
                          ? fmt::format("1 / 2^{}", job.shift_of(0))
                          : fmt::format("{} / 2^{}", job.multiplier_of(0), job.shift_of(0));
  if (!job.scale)
    return text + fmt::format(", scale {}{}", factor, job.weights.random() ? "" : ", given");
  const double error = made(job) / *job.scale - 1;
  return text + fmt::format(", scale {} is {}{}: {}", *job.scale, factor,
                            made(job) == job.multiplier_of(0) * std::ldexp(1, -job.shift_of(0))
                                ? ""
                                : fmt::format(" of {} pixels' sum", job.pool.size * job.pool.size),
                            error == 0 ? "exact" : fmt::format("{:+.2g} of it", error));
}

Json numbers_json(const LayerJob& job) {
  Json all{{"weights", job.weights.random() ? "random" : "given"}};
  if (job.weights.random()) all["weight_bits"] = job.weights.bits();
  all["input"] = job.own_input ? "host" : "previous";
  if (!one_for_all(job)) return all;
  all["multiplier"] = job.multiplier_of(0);
  all["shift"] = job.shift_of(0);
  if (job.scale) {
    all["scale"] = *job.scale;
    all["scale_error"] = made(job) / *job.scale - 1;
  }
  return all;
}

}  // namespace

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
    text += fmt::format("  {:{}}    {}\n", "", longest, numbers_text(l.job));
    clocks += f.clocks;
  }
  return layers.empty() ? text : fmt::format("network: {} clocks\n{}", clocks, text);
}

Json to_json(const std::vector<ProgramLayer>& layers) {
  Json all = Json::array();
  for (const ProgramLayer& l : layers) {
    const Figures& f = l.figures;
    all.push_back({{"name", l.job.shape.name},
                   {"numbers", numbers_json(l.job)},
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
