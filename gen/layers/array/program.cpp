// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/program.h"

#include <fmt/format.h>

#include "gen/layers/array/messages.h"
#include "gen/layers/array/refusal.h"

namespace kumiki::gen::array {
namespace {

using namespace fields;

// Clocks from a block's last step to the first row of its results.
std::int64_t drain_latency(const ArrayPlan& plan) { return 8 + plan.feed_clocks(); }

void describe_input(ProgramLayer& p) {
  const Layout& l = p.layout;
  const bool fc = l.kind == Kind::fc;
  auto set = [&](const Field& f, std::int64_t value) { p.descriptor.set(f, value); };
  set(loader_fc, fc);
  set(loader_window, l.window);
  set(loader_groups, l.bank_groups);
  set(loader_count, l.windows());
  set(feeder_fc, fc);
  p.descriptor.set_phases(l.phases);
  set(feeder_windows, fc ? 1 : l.windows());
  set(feeder_down, l.parts.down.parts == 2);
  set(common_keep, p.keep);
  set(common_length, p.common_length());
  set(common_repeats, p.common_repeats());
  set(common_outers, p.common_lots());
  set(common_none, l.batch);
  set(compute_fc, fc);
  set(compute_channels, l.channels);
  set(compute_blocks, l.all_blocks());
  set(compute_down, l.parts.down.parts == 2);
  set(compute_across, l.parts.across.parts == 2);
  set(compute_batch, l.batch);
}

void describe_output(ProgramLayer& p) {
  const Layout& l = p.layout;
  const bool fc = l.kind == Kind::fc;
  auto set = [&](const Field& f, std::int64_t value) { p.descriptor.set(f, value); };
  set(drain_fc, fc);
  set(drain_pool, p.job.pool.kind == PoolKind::none ? 0 : p.job.pool.size - 1);
  set(drain_average, p.job.pool.kind == PoolKind::average);
  set(drain_relu, p.job.relu);
  set(drain_slots, l.slots(0));
  set(drain_slots_last, l.slots(l.turns - 1));
  if (fc && !l.batch) {
    const std::int64_t most = l.outputs_of(0), last = l.outputs_of(l.blocks() - 1);
    auto tail = [&](std::int64_t outputs) { return (outputs - 1) % l.columns + 1; };
    set(drain_rows, ceil_div(most, l.columns));
    set(drain_rows_last, ceil_div(last, l.columns));
    set(drain_words, l.columns);
    set(drain_words_last, l.columns);
    set(drain_tail, tail(most));
    set(drain_tail_last, tail(last));
    set(drain_blocks, 1);
    set(drain_strips, l.blocks());
  } else {
    set(drain_rows, l.down.sums_of(0));
    set(drain_rows_last, l.down.sums_of(l.down.blocks() - 1));
    set(drain_words, l.across.results_of(0));
    set(drain_words_last, l.across.results_of(l.across.blocks() - 1));
    set(drain_tail, 1);
    set(drain_tail_last, 1);
    set(drain_blocks, l.across.blocks());
    set(drain_strips, l.down.blocks());
  }
  set(drain_turns, l.turns);
  set(drain_groups, l.groups);
  set(drain_down, l.parts.down.parts == 2);
  set(drain_across, l.parts.across.parts == 2);
  set(drain_batch, l.batch);
}

// Zero points and bounds.
void describe_numbers(ProgramLayer& p, int data_bits) {
  const arith::FloatRule rule = p.job.rule_of(0, data_bits);
  p.descriptor.set_signed(loader_pad, p.job.input_zero_point);
  p.descriptor.set_signed(results_zero, rule.zero_point);
  p.descriptor.set_signed(results_low, static_cast<std::int64_t>(rule.range.lo));
  p.descriptor.set_signed(results_high, static_cast<std::int64_t>(rule.range.hi));
}

// Pixels that windows need in one direction, over all blocks and phases. Tap 0 of a phase and
// output 0 of a block read pixel `stride * pitch * block + phase * dilation - padding`.
std::int64_t pixels(const Layout& l, const ConvShape& s, const Side& side, std::int64_t size,
                    std::int64_t padding) {
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < side.blocks(); ++i)
    for (int a = 0; a < l.phases.phases; ++a) {
      const std::int64_t first = s.stride * side.pitch * i + a * s.dilation - padding;
      const std::int64_t count = side.sums_of(i) + (l.phases.taps_of(a) - 1) * l.phases.step;
      const std::int64_t from = first >= 0 ? 0 : ceil_div(-first, s.stride);
      const std::int64_t to = first >= size ? 0 : (size - 1 - first) / s.stride + 1;
      all += std::max<std::int64_t>(0, std::min(count, to) - from);
    }
  return all;
}

// Output beats and drain clocks of a block; for a convolution those of one accumulator.
struct Leaving {
  std::int64_t beats, clocks;
};

std::vector<Leaving> count_output(ProgramLayer& p, const ArrayPlan& plan) {
  const Layout& l = p.layout;
  const std::int64_t words = plan.request.output_words;
  std::vector<Leaving> blocks;
  if (l.kind == Kind::fc && !l.batch) {
    const std::int64_t whole = ceil_div(l.columns, words);
    for (std::int64_t i = 0; i < l.blocks(); ++i) {
      const std::int64_t rows = ceil_div(l.outputs_of(i), l.columns) - 1;  // complete ones
      const std::int64_t tail = ceil_div(l.outputs_of(i) - rows * l.columns, words);
      blocks.push_back(
          {rows * whole + tail, rows * std::max(l.slots(0), whole) + std::max(l.slots(0), tail)});
    }
  } else {
    for (std::int64_t y = 0; y < l.down.blocks(); ++y)
      for (std::int64_t x = 0; x < l.across.blocks(); ++x) {
        const std::int64_t row = ceil_div(l.across.results_of(x), words);
        const std::int64_t beats = l.down.results_of(y) * row;
        const std::int64_t reads = l.down.sums_of(y);
        blocks.push_back(
            {beats, l.batch ? reads * std::max(l.slots(0), row) : std::max(reads, beats)});
      }
  }
  const bool fc = l.kind == Kind::fc;
  Figures& f = p.figures;
  f.output_words = p.job.made_shape().size();
  for (const Leaving& block : blocks) f.output_beats += block.beats;
  f.output_beats *= fc ? 1 : l.groups * l.outputs;
  f.parameter_beats = fc ? f.output_beats : l.groups * l.outputs * l.blocks();
  f.parameter_words = l.batch ? f.output_words : fc ? l.outputs : f.parameter_beats;
  return blocks;
}

// Clocks until the last block is captured. Captured sums are double buffered, so a block starts
// only after the results of the block two before it have left.
std::int64_t with_drain(const Layout& l, const std::vector<Leaving>& blocks, std::int64_t latency) {
  const std::int64_t steps = l.block_steps();
  std::int64_t captured = 0, left = 0, left_before = 0;
  for (std::int64_t turn = 0; turn < l.weight_groups(); ++turn) {
    const std::int64_t slots = l.kind == Kind::fc ? 1 : l.slots(turn % l.turns);
    for (const Leaving& block : blocks) {
      captured = std::max(captured, left_before) + steps;
      left_before = left;
      left = std::max(captured + latency, left) + slots * block.clocks;
    }
  }
  return captured;
}

// Counts the individual and common operands; returns the clocks of the loader.
std::int64_t count_input(ProgramLayer& p, const ArrayPlan& plan) {
  const Layout& l = p.layout;
  Figures& f = p.figures;
  f.common_words =
      p.common_length() * p.common_lots() * (p.keep ? 1 : p.common_repeats()) * l.parts.parts();
  f.individual_beats = l.windows();
  f.individual_words = l.outputs * l.channels;
  if (l.batch) {
    f.common_words = 0;
    f.individual_words =
        l.channels * (l.down.blocks() * l.across.results + l.across.blocks() * l.outputs);
  }
  if (l.kind == Kind::fc) {
    f.fill = ArrayPlan::queue_clocks;  // for the first weights
    return f.individual_beats;
  }
  const ConvShape& s = p.job.shape.conv;
  f.individual_beats *= l.window * l.bank_groups;
  f.individual_words = l.weight_groups() * l.channels * pixels(l, s, l.down, s.height, s.above()) *
                       pixels(l, s, l.across, s.width, s.left());
  f.fill = l.window * l.bank_groups + plan.chunks() - 1;
  return f.individual_beats;
}

void predict(ProgramLayer& p, const ArrayPlan& plan) {
  Figures& f = p.figures;
  const Layout& l = p.layout;
  f.steps = f.clocks = l.steps();
  Array array = cost_array(plan);
  if (l.batch) array.batch = p.job.shape.fc.batch;
  f.formula = cost(array, p.job.shape);
  auto bound = [&](std::int64_t clocks, Limit limit) {
    if (clocks <= f.clocks) return;
    f.clocks = clocks;
    f.limit = limit;
  };
  // With T = 1, a chain that moves by two elements takes two clocks, and the steps wait for it.
  if (l.kind == Kind::conv && l.depth == 1 && l.phases.step == 2) {
    const std::int64_t kernel = p.job.shape.conv.kernel;
    bound(f.steps + l.windows() * kernel * (kernel - l.phases.phases), Limit::shifts);
  }
  bound(count_input(p, plan), Limit::loader);
  const std::vector<Leaving> blocks = count_output(p, plan);
  std::int64_t most = 0;
  for (const Leaving& block : blocks) most = std::max(most, block.clocks);
  if (l.kind == Kind::conv) most *= l.slots(0);
  const std::int64_t latency = drain_latency(plan);
  const bool drains = l.all_blocks() <= 2 || most + latency <= l.block_steps();
  if (!drains) bound(with_drain(l, blocks, latency), Limit::drain);
  f.exact = drains && f.limit != Limit::loader;
  f.clocks += ArrayPlan::layer_overhead;
}

// Computes the layout and the figures of a layer; no descriptor yet.
void lay_out(ProgramLayer& p, const ArrayPlan& plan) {
  p.layout = layout(plan, p.job);
  // Leaves eight words free, so that the next lot can begin to arrive.
  p.keep = p.common_repeats() > 1 && p.common_length() + 8 <= plan.common_depth();
  predict(p, plan);
}

ProgramLayer compile(const ArrayPlan& plan, LayerJob job) {
  ProgramLayer p{.job = std::move(job)};
  lay_out(p, plan);
  p.offsets = offsets(p.job);
  p.certificate = check_numbers(plan, p.job, p.offsets);
  try {
    describe_input(p);
    describe_output(p);
    if (plan.request.float32) describe_numbers(p, plan.request.data_bits);
  } catch (const DesignError& e) {
    throw Refusal(p.job.shape.name, e.diagnostic());
  }
  return p;
}

}  // namespace

const char* name(Limit limit) {
  switch (limit) {
    case Limit::steps:
      return "steps";
    case Limit::shifts:
      return "shifts";
    case Limit::loader:
      return "loader";
    case Limit::drain:
      return "drain";
  }
  return "";
}

Figures foretell(const ArrayPlan& plan, const LayerShape& shape, const Pool& pool) {
  ProgramLayer p{.job = {.shape = shape, .pool = pool}};
  lay_out(p, plan);
  return p.figures;
}

Program compile(const ArrayPlan& plan, std::vector<LayerJob> jobs) {
  if (jobs.empty() || jobs.size() > static_cast<std::size_t>(plan.layer_depth()))
    throw Refusal(code::network_too_long, "", "network",
                  fmt::format("the network has {} layers", jobs.size()),
                  fmt::format("the array has descriptors for 1 to {}", plan.layer_depth()));
  Program program{plan, {}};
  for (LayerJob& job : jobs) program.layers.push_back(compile(plan, std::move(job)));
  return program;
}

std::vector<RegisterWrite> Program::writes() const {
  std::vector<RegisterWrite> list;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto of_layer = layers[i].descriptor.writes(static_cast<int>(i));
    list.insert(list.end(), of_layer.begin(), of_layer.end());
  }
  return list;
}

RegisterWrite Program::start() const {
  return {start_address, static_cast<std::uint32_t>(layers.size() - 1)};
}

}  // namespace kumiki::gen::array
