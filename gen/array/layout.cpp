// SPDX-License-Identifier: Apache-2.0
#include "gen/array/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"

namespace kumiki::gen::array {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw DesignError(what); }

Side side(std::int64_t elements, std::int64_t results, const Pool& pool, const char* name) {
  Side s{.results = results};
  if (pool.kind == PoolKind::none) {
    s.block = s.pitch = elements;
    return s;
  }
  s.pooled = true;
  s.lap = pool.size - 2;
  s.block = (elements - s.lap) / 2;
  s.pitch = 2 * s.block;
  if (s.block < 1)
    refuse(fmt::format("{} of the array are {}: a pooling window of {} needs {} or more", name,
                       elements, pool.size, pool.size));
  return s;
}

void check_pool(const ArrayPlan& plan, const LayerJob& job) {
  const Pool& pool = job.pool;
  if (pool.kind == PoolKind::none) return;
  if (job.shape.kind == Kind::fc)
    refuse("a fully connected layer has no map to pool: pooling after a convolution is legal");
  if (pool.size != 2 && pool.size != 3)
    refuse(fmt::format("a pooling window of {} is not built: 2 or 3 is legal", pool.size));
  const bool built = pool.kind == PoolKind::max ? plan.request.max_pool : plan.request.average_pool;
  if (!built)
    refuse(fmt::format("the array has no hardware for {} pooling: {}_pool true is legal",
                       pool.kind == PoolKind::max ? "maximum" : "average",
                       pool.kind == PoolKind::max ? "max" : "average"));
  const MapShape sums = job.sum_shape();
  if (job.out_shape().size() == 0)
    refuse(
        fmt::format("a map of {} x {} has no pooling window of {}: {} rows and columns or more "
                    "are legal",
                    sums.height, sums.width, pool.size, pool.size));
}

Layout of_conv(const ArrayPlan& plan, const LayerJob& job) {
  const ConvShape& s = job.shape.conv;
  const MapShape out = job.out_shape();
  Layout l{.kind = Kind::conv};
  l.phases = phases_of(static_cast<int>(s.kernel), static_cast<int>(s.stride),
                       static_cast<int>(s.dilation));
  if (l.phases.reach() > plan.request.reach)
    refuse(fmt::format(
        "kernel {} at stride {} and dilation {} spans {} pixels in a phase, the "
        "array's reach is {}: a smaller kernel or reach {} is legal",
        s.kernel, s.stride, s.dilation, l.phases.reach(), plan.request.reach, l.phases.reach()));
  l.parts = sub_blocks(cost_array(plan), s);
  l.down = side(l.parts.down.size, out.height, job.pool, "rows");
  l.across = side(l.parts.across.size, out.width, job.pool, "columns");
  l.groups = s.groups;
  l.channels = s.group_in();
  l.outputs = s.group_out();
  l.depth = plan.depth();
  l.turns = ceil_div(l.outputs, l.turn_outputs());
  l.taps = s.kernel * s.kernel;
  l.window = std::int64_t{l.phases.phases} * l.phases.phases * plan.chunks();
  if (l.window > plan.window_depth())
    refuse(
        fmt::format("a window of kernel {} at stride {} takes {} addresses of a bank, the array "
                    "has {}: window_words {} is legal",
                    s.kernel, s.stride, l.window, plan.window_depth(), l.window));
  // Rows of the array that a map never reaches need no banks.
  const std::int64_t banks = l.down.sums_of(0) + l.phases.reach() - 1;
  l.bank_groups = ceil_div(banks, plan.banks_a_beat());
  return l;
}

Layout of_fc(const ArrayPlan& plan, const LayerJob& job) {
  Layout l{.kind = Kind::fc};
  l.channels = job.shape.fc.inputs;
  l.outputs = job.shape.fc.outputs;
  l.depth = plan.depth();
  l.elements = plan.fc_elements();
  l.columns = plan.columns();
  const std::int64_t batch = job.shape.fc.batch;
  l.batch = batch > 1;
  if (l.batch && !plan.request.batched_fc)
    refuse(
        fmt::format("a batch of {} images at once: the array has no hardware for it: "
                    "batched_fc true is legal",
                    batch));
  if (l.batch) {
    l.down = {.results = l.outputs, .block = plan.rows(), .pitch = plan.rows()};
    l.across = {.results = batch, .block = plan.columns(), .pitch = plan.columns()};
  }
  return l;
}

template <class T>
void check_entries(const std::vector<T>& all, std::int64_t outputs, const char* what, T low,
                   T high) {
  if (all.empty()) return;
  if (static_cast<std::int64_t>(all.size()) != outputs)
    refuse(fmt::format("{} has {} entries: one for each of {} output channels is legal", what,
                       all.size(), outputs));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] < low || all[i] > high)
      refuse(fmt::format("{} of output channel {} is {}: {} to {} is legal", what, i, all[i], low,
                         high));
}

void check_entries(const ArrayPlan& plan, const LayerJob& job) {
  const std::int64_t outputs = job.outputs();
  const std::int64_t bias = std::int64_t{1} << (plan.sum_bits() - 1);
  check_entries<std::int64_t>(job.bias, outputs, "bias", -bias, bias - 1);
  check_entries<std::uint32_t>(job.multiplier, outputs, "multiplier", plan.packed() ? 0 : 1,
                               plan.packed() ? 65535 : 1);
  check_entries<int>(job.shift, outputs, "shift", 1, 47);
  if (job.weights.random()) {
    if (job.weights.bits() > plan.request.coefficient_bits)
      refuse(fmt::format("weights of {} bits: at most {} is legal", job.weights.bits(),
                         plan.request.coefficient_bits));
    return;
  }
  if (job.weights.size() != job.weight_count())
    refuse(fmt::format("{} weights: {} is legal", job.weights.size(), job.weight_count()));
  const std::int32_t most = (1 << (plan.request.coefficient_bits - 1)) - 1;
  for (std::int64_t i = 0; i < job.weights.size(); ++i)
    if (job.weights[i] < -most - 1 || job.weights[i] > most)
      refuse(fmt::format("weight {} is {}: {} to {} is legal", i, job.weights[i], -most - 1, most));
}

void widen(Bounds& worst, const Bounds& b) {
  worst.least = std::min(worst.least, b.least);
  worst.most = std::max(worst.most, b.most);
}

// Sums for any input, with the weights as they are: in an accumulator, and where accumulators or
// the pixels of a pooling window are added.
packing::Certificate check_sums(const ArrayPlan& plan, const LayerJob& job) {
  const int bits = plan.request.data_bits;
  const bool fc = job.shape.kind == Kind::fc;
  const bool average = job.pool.kind == PoolKind::average;
  const std::int64_t pixels = average ? job.pool.size * job.pool.size : 1;
  const bool added = fc || pixels > 1;
  auto require = [&](const Bounds& b, int width, std::int64_t channel, const char* what) {
    const std::int64_t limit = std::int64_t{1} << (width - 1);
    if (b.least >= -limit && b.most < limit) return;
    refuse(
        fmt::format("{} of output channel {} may become {} or {}, beyond {} bits: smaller or "
                    "fewer weights, or narrower data, are legal",
                    what, channel, b.least, b.most, width));
  };
  const int slots = fc ? plan.depth() : 1;
  const std::int64_t count = job.weight_count() / job.outputs();
  const std::int64_t in_one = ceil_div(count, slots), in_all = count * pixels;
  const int product =
      bits - 1 + (job.weights.random() ? job.weights.bits() : plan.request.coefficient_bits) - 1;
  const auto fits = [&](std::int64_t n, int width) {
    return n < std::int64_t{1} << (width - 1 - product);
  };
  Bounds one, all;  // of the worst channel
  if (fits(in_one, plan.lane_bits()) && fits(in_all, plan.sum_bits())) {
    // Nothing to look at where not even the widest weights come near.
    one = {-(in_one << product), in_one << product};
    all = {-(in_all << product), in_all << product};
  } else {
    for (std::int64_t channel = 0; channel < job.outputs(); ++channel) {
      const Bounds part = bounds(job, channel, bits, slots);
      require(part, plan.lane_bits(), channel, fc ? "a partial sum" : "a sum");
      widen(one, part);
      if (!added) continue;
      Bounds sum = bounds(job, channel, bits);
      sum = {sum.least * pixels, sum.most * pixels};
      require(sum, plan.sum_bits(), channel, fc ? "the sum" : "a pooling window's sum");
      widen(all, sum);
    }
  }
  packing::Certificate certificate;
  const auto state = [&](const char* what, const Bounds& b, int width) {
    certificate.within(fmt::format("{} of {}", what, job.shape.name), {b.least, b.most},
                       packing::signed_range(width));
  };
  state(fc ? "partial sums" : "sums", one, plan.lane_bits());
  if (added) state(fc ? "sums" : "a pooling window's sums", all, plan.sum_bits());
  return certificate;
}

// Messages name the layer.
template <class F>
auto of_layer(const LayerJob& job, F&& f) {
  try {
    return f();
  } catch (const DesignError& e) {
    throw DesignError(fmt::format("layer {}: {}", job.shape.name, e.what()));
  }
}

}  // namespace

Array cost_array(const ArrayPlan& plan, double clock_mhz) {
  return {.rows = plan.rows(),
          .columns = plan.columns(),
          .accumulators = plan.depth(),
          .bits = plan.operand_bits(),
          .clock_mhz = clock_mhz,
          .fc_elements = plan.fc_elements(),
          .split = plan.request.split,
          .batched_fc = plan.request.batched_fc};
}

Layout layout(const ArrayPlan& plan, const LayerJob& job) {
  return of_layer(job, [&] {
    // The shape itself: the cost model's rules are the same.
    (void)cost(cost_array(plan), job.shape);
    check_pool(plan, job);
    return job.shape.kind == Kind::fc ? of_fc(plan, job) : of_conv(plan, job);
  });
}

packing::Certificate check_numbers(const ArrayPlan& plan, const LayerJob& job) {
  return of_layer(job, [&] {
    check_entries(plan, job);
    return check_sums(plan, job);
  });
}

Arithmetic arithmetic_of(const ArrayPlan& plan) {
  return {.data_bits = plan.request.data_bits,
          .sum_bits = plan.sum_bits(),
          .multiplies = plan.packed()};
}

}  // namespace kumiki::gen::array
