// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gen/layers/array/program.h"
#include "gen/layers/common/write.h"

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

// compile() has refused everything that would differ.
std::string float32_text(const LayerJob& job) {
  std::string text = job.scales.size() == 1 ? fmt::format(", scale {:.9g}", job.scales[0])
                                            : ", a scale of each output channel given";
  if (job.input_zero_point != 0) text += fmt::format(", zero point in {}", job.input_zero_point);
  if (job.zero_point != 0) text += fmt::format(", zero point out {}", job.zero_point);
  if (job.clamp) text += fmt::format(", clamped to {} to {}", (*job.clamp)[0], (*job.clamp)[1]);
  return text + ": equal to float32 for every sum that is reached";
}

// Where the numbers come from, and how a scale was met.
std::string numbers_text(const LayerJob& job) {
  std::string text = job.random_bits() > 0
                         ? fmt::format("random weights of {} bits", job.random_bits())
                         : fmt::format("weights given");
  if (job.own_input) text += ", input from the host";
  if (job.empty_taps > 0)
    text += fmt::format(", {} of {} taps are 0", job.empty_taps,
                        job.shape.conv.kernel * job.shape.conv.kernel);
  if (!job.keeps_all()) text += fmt::format(", 1 of {} results kept", job.kept[0] * job.kept[1]);
  if (!job.scales.empty()) return text + float32_text(job);
  if (!one_for_all(job)) return text + ", multiplier and shift of each output channel given";
  const auto factor = job.multiplier.empty()
                          ? fmt::format("1 / 2^{}", job.shift_of(0))
                          : fmt::format("{} / 2^{}", job.multiplier_of(0), job.shift_of(0));
  if (!job.scale)
    return text + fmt::format(", scale {}{}", factor, job.random_bits() > 0 ? "" : ", given");
  const double error = made(job) / *job.scale - 1;
  return text + fmt::format(", scale {} is {}{}: {}", *job.scale, factor,
                            made(job) == job.multiplier_of(0) * std::ldexp(1, -job.shift_of(0))
                                ? ""
                                : fmt::format(" of {} pixels' sum", job.pool.size * job.pool.size),
                            error == 0 ? "exact" : fmt::format("{:+.2g} of it", error));
}

void write_numbers(config::Writer& w, const LayerJob& job) {
  w.member("weights", job.random_bits() > 0 ? "random" : "given");
  if (job.random_bits() > 0) w.member("weight_bits", job.random_bits());
  w.member("input", job.own_input ? "host" : "previous");
  if (job.empty_taps > 0) w.member("empty_taps", job.empty_taps);
  if (!job.keeps_all()) w.member("kept", job.kept);
  if (!job.scales.empty()) {
    if (job.scales.size() == 1) w.member("scale", static_cast<double>(job.scales[0]));
    w.member("input_zero_point", job.input_zero_point);
    w.member("zero_point", job.zero_point);
    return;
  }
  if (!one_for_all(job)) return;
  w.member("multiplier", job.multiplier_of(0));
  w.member("shift", job.shift_of(0));
  if (job.scale) {
    w.member("scale", *job.scale);
    w.member("scale_error", made(job) / *job.scale - 1);
  }
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
  if (layers.empty()) return text;
  const auto waits =
      layers.size() > 1 ? ", and waits of a layer for results of the one before" : "";
  return fmt::format("network: {} clocks{}\n{}", clocks, waits, text);
}

void write(config::Writer& w, const ProgramLayer& l) {
  const Figures& f = l.figures;
  w.member("name", l.job.shape.name);
  w.object("numbers", [&] { write_numbers(w, l.job); });
  w.member("formula_cycles", f.formula.cycles);
  w.member("steps", f.steps);
  w.member("predicted_clocks", f.clocks);
  w.member("bound_by", name(f.limit));
  w.member("macs", f.formula.macs);
  w.member("individual_words", f.individual_words);
  w.member("common_words", f.common_words);
  w.member("parameter_words", f.parameter_words);
  w.member("output_words", f.output_words);
  w.member("proofs", l.certificate);
}

}  // namespace kumiki::gen::array
