// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gen/layers/array/picture.h"
#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {

std::string to_text(const ArrayPlan& p) {
  const ArrayRequest& r = p.request;
  std::string t =
      fmt::format("{} x {} elements, {} accumulators each, {}-bit data, {}-bit coefficients\n",
                  p.rows(), p.columns(), p.depth(), r.data_bits, r.coefficient_bits);
  t += fmt::format(
      "{} {}: {}\n", p.slices(), p.slice_name(),
      p.pairs() ? "two elements in each, the second operand 2^18 up" : "one element in each");
  t += p.packed()
           ? fmt::format("an accumulator: {} bits; sums of a neuron's {} parts and of pools: 32\n",
                         p.lane_bits(), p.depth())
           : fmt::format("an accumulator: 48 bits\n");
  t += fmt::format("the {} accumulators of a slice: {}\n", p.depth(),
                   p.depth() == 1   ? "P itself"
                   : p.depth() == 2 ? "P and C"
                   : p.depth() == 3
                       ? "P, a register, C"
                       : fmt::format("P, {} words of distributed memory, C", p.depth() - 2));
  t += fmt::format("banks: {} of 2 x {} words of {} pixels; a beat fills {} of them\n", p.banks(),
                   p.window_depth(), p.chunk(), p.banks_a_beat());
  t += fmt::format("chains: {} pixels a row, full in {} clocks; a kernel reaches {} of a phase\n",
                   p.chain(), p.chunks(), r.reach);
  t += fmt::format("individual stream: {} words a beat, {} neurons at once\n", p.stream_words(),
                   p.fc_elements());
  t += fmt::format(
      "common memory: {} words, filled while they are read, kept where that is asked for\n",
      p.common_depth());
  if (p.commons() > 1)
    t += fmt::format(
        "small maps: the array is cut in {}, each with output channels of its own; a beat of the "
        "common stream has {} words\n",
        p.cuts_down() && p.cuts_across() ? fmt::format("halves of {} rows, of {} columns, or both",
                                                       p.cut_down().size, p.cut_across().size)
        : p.cuts_down()                  ? fmt::format("halves of {} rows", p.cut_down().size)
                                         : fmt::format("halves of {} columns", p.cut_across().size),
        p.commons());
  if (r.batched_fc)
    t += fmt::format("a batch of fully connected layers: {} outputs of {} images at once\n",
                     p.rows(), p.columns());
  t += fmt::format("results: {} words a clock{}, {} {}, pooling: {}\n", r.output_words,
                   r.float32    ? ", bias, scale as float32, zero point, bounds"
                   : p.packed() ? ", bias, multiplier, shift, saturation"
                                : ", bias, shift, saturation",
                   p.output_slices(), p.slice_name(),
                   r.max_pool       ? r.average_pool ? "max and average" : "max"
                   : r.average_pool ? "average"
                                    : "none");
  t += fmt::format("a layer: its steps and {} clocks\n", ArrayPlan::layer_overhead);
  t += fmt::format("elements{}{}\n", p.pairs() ? ", those of a slice side by side" : "",
                   p.commons() > 1 ? "; A takes word 0 of the common stream, B word 1, ..." : "");
  return t + map_text(p);
}

void write(config::Writer& w, const ArrayPlan& p) {
  const ArrayRequest& r = p.request;
  w.member("rows", p.rows());
  w.member("columns", p.columns());
  w.member("accumulators", p.depth());
  w.member("data_bits", r.data_bits);
  w.member("coefficient_bits", r.coefficient_bits);
  w.member("operand_bits", p.operand_bits());
  w.member("slices", p.slices() + p.output_slices());
  w.member("dsp48e2", p.slices());
  w.member("output_dsp48e2", p.output_slices());
  w.member("accumulator_bits", p.lane_bits());
  w.member("sum_bits", p.sum_bits());
  w.member("banks", p.banks());
  w.member("bank_words", 2 * p.window_depth());
  w.member("chunk", p.chunk());
  w.member("chain", p.chain());
  w.member("reach", r.reach);
  w.member("stream_words", p.stream_words());
  w.member("fc_elements", p.fc_elements());
  w.member("common_words", p.common_depth());
  w.member("output_words", r.output_words);
  w.member("part_rows", p.cut_down().size);
  w.member("part_columns", p.cut_across().size);
  w.member("common_stream_words", p.commons());
  w.member("batched_fc", r.batched_fc);
  w.member("max_pool", r.max_pool);
  w.member("average_pool", r.average_pool);
  if (r.float32) w.member("requantise", "float32");
  w.member("layers", p.layer_depth());
  w.member("layer_overhead", ArrayPlan::layer_overhead);
}

}  // namespace kumiki::gen::array
