// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gen/arith/float_factor.h"
#include "gen/config/messages.h"
#include "gen/layers/array/messages.h"
#include "gen/layers/array/refusal.h"

namespace kumiki::gen::array {
namespace {

// Refuses the current layer; of_layer() puts its name in the message.
[[noreturn]] void refuse(Code code, const std::string& key, const std::string& what,
                         const std::string& required) {
  throw Refusal(code, "", key, what, required);
}

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
    refuse(code::pool_beyond_array, "pool",
           fmt::format("the array has {} {}, too few for pooling", elements, name),
           fmt::format("a pooling window of {} needs {} or more", pool.size, pool.size));
  return s;
}

void check_pool(const ArrayPlan& plan, const LayerJob& job) {
  const Pool& pool = job.pool;
  if (pool.kind == PoolKind::none) return;
  if (job.shape.kind == Kind::fc)
    refuse(code::pool_without_map, "pool", "a fully connected layer has no map to pool",
           "pool after a convolution");
  if (pool.size != 2 && pool.size != 3)
    refuse(code::out_of_range, "pool",
           fmt::format("the array has no pooling window of {}", pool.size),
           "the window must be 2 or 3");
  const bool built = pool.kind == PoolKind::max ? plan.request.max_pool : plan.request.average_pool;
  if (!built)
    refuse(code::hardware_left_out, "pool",
           fmt::format("the array has no hardware for {} pooling",
                       pool.kind == PoolKind::max ? "maximum" : "average"),
           fmt::format("set \"{}_pool\" to true", pool.kind == PoolKind::max ? "max" : "average"));
  const MapShape sums = job.sum_shape();
  if (!job.keeps_all())
    refuse(code::pool_beyond_map, "pool",
           "pooling does not work with strides that leave results out",
           "use the same stride for rows and columns, at most 4");
  if (job.out_shape().size() == 0)
    refuse(code::pool_beyond_map, "pool",
           fmt::format("a map of {} x {} is smaller than the pooling window of {}", sums.height,
                       sums.width, pool.size),
           fmt::format("the map must have at least {} rows and columns", pool.size));
}

Layout of_conv(const ArrayPlan& plan, const LayerJob& job) {
  const ConvShape& s = job.shape.conv;
  const MapShape out = job.made_shape();
  Layout l{.kind = Kind::conv};
  l.phases = phases_of(static_cast<int>(s.kernel), static_cast<int>(s.stride),
                       static_cast<int>(s.dilation));
  if (l.phases.reach() > plan.request.reach)
    refuse(code::kernel_beyond_reach, "kernel",
           fmt::format("kernel {} at stride {} and dilation {} spans {} pixels in a phase, but the "
                       "array's reach is {}",
                       s.kernel, s.stride, s.dilation, l.phases.reach(), plan.request.reach),
           fmt::format("use a smaller kernel, or set \"reach\" to {}", l.phases.reach()));
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
        code::window_beyond_bank, "kernel",
        fmt::format(
            "a window of kernel {} at stride {} takes {} addresses of a bank, but the array has {}",
            s.kernel, s.stride, l.window, plan.window_depth()),
        fmt::format("set \"window_words\" to {}", l.window));
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
    refuse(code::hardware_left_out, "type",
           fmt::format("the array has no hardware for a batch of {} images at once", batch),
           "set \"batched_fc\" to true");
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
    refuse(code::wrong_count, what, fmt::format("{} has {} entries", what, all.size()),
           fmt::format("it must have one for each of {} output channels", outputs));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] < low || all[i] > high)
      refuse(code::out_of_range, fmt::format("{}/{}", what, i),
             fmt::format("{} of output channel {} is {}", what, i, all[i]),
             low == high
                 ? fmt::format(
                       "it must be {}, because results of more than 8 bits are only shifted", low)
                 : fmt::format("it must be {} to {}", low, high));
}

// Checks scales and zero points that belong to only one form of requantisation.
void check_float32(const ArrayPlan& plan, const LayerJob& job) {
  const auto out_of_place = [](const char* key, const char* form) {
    refuse(code::conflicting_keys, key, fmt::format("{} is given, but the array {}", key, form),
           "remove it, or change \"requantise\" of the array");
  };
  if (!plan.request.float32) {
    const char* form = "requantises with a fixed multiplier";
    if (job.input_zero_point != 0) out_of_place("input_zero_point", form);
    if (job.zero_point != 0) out_of_place("zero_point", form);
    if (job.clamp) out_of_place("clamp", form);
    if (!job.scales.empty()) out_of_place("scale", form);
    return;
  }
  if (!job.multiplier.empty()) out_of_place("multiplier", "requantises as float32");
  if (!job.shift.empty()) out_of_place("shift", "requantises as float32");
  if (job.scales.empty())
    refuse(code::no_scale, "scale", "the layer has no scale",
           "give one, or one for each output channel");
  if (job.scales.size() != 1)
    check_entries<float>(job.scales, job.outputs(), "scale", std::numeric_limits<float>::min(),
                         std::numeric_limits<float>::max());
  const auto range = arith::signed_range(plan.request.data_bits);
  const auto within = [&](const std::string& key, std::int64_t value,
                          const arith::Interval& legal) {
    if (!legal.contains(value))
      refuse(code::out_of_range, key, fmt::format("{} is {}", key, value),
             fmt::format("it must be {}", to_string(legal)));
  };
  within("input_zero_point", job.input_zero_point, range);
  within("zero_point", job.zero_point, range);
  if (!job.clamp) return;
  within("clamp/0", (*job.clamp)[0], {range.lo, job.zero_point});
  within("clamp/1", (*job.clamp)[1], {job.zero_point, range.hi});
}

void check_entries(const ArrayPlan& plan, const LayerJob& job) {
  const std::int64_t outputs = job.outputs();
  const std::int64_t bias = std::int64_t{1} << (plan.sum_bits() - 1);
  check_entries<std::int64_t>(job.bias, outputs, "bias", -bias, bias - 1);
  check_entries<std::uint32_t>(job.multiplier, outputs, "multiplier", plan.packed() ? 0 : 1,
                               plan.packed() ? 65535 : 1);
  check_entries<int>(job.shift, outputs, "shift", 1, 47);
  check_float32(plan, job);
  if (job.weights.random()) {
    if (job.weights.bits() > plan.request.coefficient_bits)
      refuse(code::out_of_range, "weights",
             fmt::format("the weights have {} bits", job.weights.bits()),
             fmt::format("they must have at most {}", plan.request.coefficient_bits));
    return;
  }
  if (job.weights.size() != job.weight_count())
    refuse(code::wrong_count, "weights",
           fmt::format("the layer has {} weights", job.weights.size()),
           fmt::format("it must have {}", job.weight_count()));
  const std::int32_t most = (1 << (plan.request.coefficient_bits - 1)) - 1;
  for (std::int64_t i = 0; i < job.weights.size(); ++i)
    if (job.weights[i] < -most - 1 || job.weights[i] > most)
      refuse(code::out_of_range, "weights", fmt::format("weight {} is {}", i, job.weights[i]),
             fmt::format("it must be {} to {}", -most - 1, most));
}

void widen(Bounds& worst, const Bounds& b) {
  worst.least = std::min(worst.least, b.least);
  worst.most = std::max(worst.most, b.most);
}

// The bounds of sums for any input with the actual weights: of one accumulator, of the sum of
// accumulators or of a pooling window's pixels, and of that sum with the bias.
arith::Certificate check_sums(const ArrayPlan& plan, const LayerJob& job,
                              const std::vector<std::int64_t>& offsets) {
  const int bits = plan.request.data_bits;
  const bool fc = job.shape.kind == Kind::fc;
  const bool average = job.pool.kind == PoolKind::average;
  const std::int64_t pixels = average ? job.pool.size * job.pool.size : 1;
  const bool added = fc || pixels > 1;
  auto require = [&](const Bounds& b, int width, std::int64_t channel, const char* key,
                     const char* what) {
    const std::int64_t limit = std::int64_t{1} << (width - 1);
    if (b.least >= -limit && b.most < limit) return;
    const bool bias = std::string_view(key) == "bias";
    refuse(code::accumulator_overflow, bias ? fmt::format("bias/{}", channel) : key,
           fmt::format("{} of output channel {} may become {} or {}, beyond {} bits", what, channel,
                       b.least, b.most, width),
           bias ? "use a bias nearer to 0" : "use smaller or fewer weights, or narrower data");
  };
  const int slots = fc ? plan.depth() : 1;
  const std::int64_t count = job.weight_count() / job.outputs();
  const std::int64_t in_one = ceil_div(count, slots), in_all = count * pixels;
  const int product =
      bits - 1 + (job.weights.random() ? job.weights.bits() : plan.request.coefficient_bits) - 1;
  const auto fits = [&](std::int64_t n, int width) {
    return n < std::int64_t{1} << (width - 1 - product);
  };
  std::int64_t least_bias = 0, most_bias = 0;
  for (const std::int64_t b : offsets)
    least_bias = std::min(least_bias, b), most_bias = std::max(most_bias, b);
  const std::int64_t limit = std::int64_t{1} << (plan.sum_bits() - 1);
  const auto bias_fits = [&] {
    return most_bias + (in_all << product) < limit && least_bias - (in_all << product) >= -limit;
  };
  Bounds one, all, biased;  // of the worst channel
  if (fits(in_one, plan.lane_bits()) && fits(in_all, plan.sum_bits()) && bias_fits()) {
    // Even the widest weights fit: the actual ones need no check.
    one = {-(in_one << product), in_one << product};
    all = {-(in_all << product), in_all << product};
    biased = {all.least + least_bias, all.most + most_bias};
  } else {
    for (std::int64_t channel = 0; channel < job.outputs(); ++channel) {
      const Bounds part = bounds(job, channel, bits, slots);
      require(part, plan.lane_bits(), channel, "weights", fc ? "a partial sum" : "a sum");
      widen(one, part);
      Bounds sum = added ? bounds(job, channel, bits) : part;
      sum = {sum.least * pixels, sum.most * pixels};
      if (added)
        require(sum, plan.sum_bits(), channel, "weights",
                fc ? "the sum" : "a pooling window's sum");
      widen(all, sum);
      if (!offsets.empty()) {
        const std::int64_t offset = offsets[static_cast<std::size_t>(channel)];
        sum = {sum.least + offset, sum.most + offset};
      }
      require(sum, plan.sum_bits(), channel, "bias", "sum and bias");
      widen(biased, sum);
    }
  }
  arith::Certificate certificate;
  const auto state = [&](const char* what, const Bounds& b, int width) {
    certificate.within(fmt::format("{} of {}", what, job.shape.name), {b.least, b.most},
                       arith::signed_range(width));
  };
  state(fc ? "partial sums" : "sums", one, plan.lane_bits());
  if (added) state(fc ? "sums" : "a pooling window's sums", all, plan.sum_bits());
  if (!offsets.empty()) state("sums and bias", biased, plan.sum_bits());
  return certificate;
}

// Up to 2^24 results equal those of float32. Above, float32 rounds the sum itself, which the array
// does not. Refuses if this changes the result of a sum that some input reaches.
void check_rounding(const ArrayPlan& plan, const LayerJob& job,
                    const std::vector<std::int64_t>& offsets) {
  const int bits = plan.request.data_bits;
  const std::int64_t exact = 1 << 24, count = job.weight_count() / job.outputs();
  const int weight_bits = job.weights.random() ? job.weights.bits() : plan.request.coefficient_bits;
  std::int64_t offset = 0;
  for (const std::int64_t o : offsets) offset = std::max(offset, std::abs(o));
  if (count << (bits + weight_bits - 2) <= exact - offset) return;  // holds for any weights
  for (std::int64_t channel = 0; channel < job.outputs(); ++channel) {
    const Bounds b = bounds(job, channel, bits);
    const std::int64_t more = offsets.empty() ? 0 : offsets[static_cast<std::size_t>(channel)];
    const auto found = difference(job.rule_of(channel, bits), {b.least + more, b.most + more});
    if (!found) continue;
    refuse(code::beyond_float32,
           job.scales.size() == 1 ? "scale" : fmt::format("scale/{}", channel),
           fmt::format("the sum of output channel {} may become {}, which is not a float32: with "
                       "its float32 the result is {}, on the array {}",
                       channel, found->accumulator, found->wanted, found->given),
           "use a larger scale, or fewer or smaller weights");
  }
}

// Runs `f` and adds the name of the layer to its refusals.
template <class F>
auto of_layer(const LayerJob& job, F&& f) {
  try {
    return f();
  } catch (const Refusal& e) {
    throw Refusal(e.code(), job.shape.name, e.key, e.message, e.required);
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
          .batched_fc = plan.request.batched_fc,
          .narrow_slices = plan.request.narrow_slices};
}

Layout layout(const ArrayPlan& plan, const LayerJob& job) {
  return of_layer(job, [&] {
    try {
      // The cost model has the same rules and checks the shape.
      (void)cost(cost_array(plan), job.shape);
    } catch (const DesignError& e) {
      throw Refusal("", e.diagnostic());
    }
    check_pool(plan, job);
    return job.shape.kind == Kind::fc ? of_fc(plan, job) : of_conv(plan, job);
  });
}

arith::Certificate check_numbers(const ArrayPlan& plan, const LayerJob& job,
                                 const std::vector<std::int64_t>& offsets) {
  return of_layer(job, [&] {
    check_entries(plan, job);
    arith::Certificate certificate = check_sums(plan, job, offsets);
    if (plan.request.float32) check_rounding(plan, job, offsets);
    return certificate;
  });
}

Arithmetic arithmetic_of(const ArrayPlan& plan) {
  return {.data_bits = plan.request.data_bits,
          .sum_bits = plan.sum_bits(),
          .multiplies = plan.packed(),
          .float32 = plan.request.float32};
}

}  // namespace kumiki::gen::array
