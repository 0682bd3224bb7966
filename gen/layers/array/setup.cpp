// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/setup.h"

#include <algorithm>
#include <cmath>

#include "gen/config/messages.h"
#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/array/messages.h"
#include "gen/layers/array/refusal.h"
#include "gen/layers/common/messages.h"

namespace kumiki::gen::array {
namespace {

std::int64_t coefficient_bits(const Request& r) {
  return r.coefficient_bits.value_or(
      std::min<std::int64_t>(r.bits, ir::arch::dsp48e2.multiplier_b));
}

Pool pool_of(const NetworkLayer& l) { return l.pool ? Pool{l.pool->kind, l.pool->size} : Pool{}; }

bool pools(const Request& r, PoolKind kind) {
  return std::ranges::any_of(r.network,
                             [&](const NetworkLayer& l) { return l.pool && l.pool->kind == kind; });
}

// Clocks of the whole network; throws if a layer does not run.
std::int64_t clocks(const Request& r, const ArrayRequest& hardware) {
  const ArrayPlan p = plan(hardware);
  std::int64_t all = 0;
  for (const NetworkLayer& l : r.network)
    all += foretell(p, shape_of(l, r.fc_batch()), pool_of(l)).clocks;
  return all;
}

// The first of the fastest choices.
int fastest(const Request& r, ArrayRequest hardware, int ArrayRequest::*member,
            const std::vector<int>& choices) {
  int best = choices.front();
  std::int64_t least = 0;
  for (const int choice : choices) {
    hardware.*member = choice;
    const std::int64_t n = clocks(r, hardware);
    if (choice != choices.front() && n >= least) continue;
    least = n;
    best = choice;
  }
  return best;
}

bool has_fc(const Request& r) {
  return std::ranges::any_of(r.network, [](const auto& l) { return l.kind() == Kind::fc; });
}

// Sizes the memories and the reach of kernels.
void size_memories(const Request& r, ArrayRequest& h) {
  std::int64_t reach = 1, phases = 1, common = 2;
  for (const NetworkLayer& l : r.network) {
    if (l.kind() == Kind::fc) continue;
    const ConvShape s = shape_of(l).conv;
    const Phases p = phases_of(static_cast<int>(s.kernel), static_cast<int>(s.stride),
                               static_cast<int>(s.dilation));
    reach = std::max<std::int64_t>(reach, p.reach());
    phases = std::max<std::int64_t>(phases, p.phases);
    common = std::max(common, s.group_in() * s.kernel * s.kernel * r.accumulators + 8);
  }
  h.reach = static_cast<int>(r.reach.value_or(reach));
  h.window_words =
      static_cast<int>(r.window_words.value_or(phases * phases * ArrayPlan{h}.chunks()));
  const std::int64_t most = 1 << 20;
  h.common_words = static_cast<int>(r.common_words.value_or(std::min(common, most)));
}

std::vector<int> widths(int from, int to, int step) {
  std::vector<int> all;
  for (int w = from; w <= to; w += step) all.push_back(w);
  return all;
}

void size_streams(const Request& r, ArrayRequest& h) {
  const ArrayPlan fewest{h};
  h.output_words = h.columns;
  // A beat of a batch has an input for every column and a weight for every row.
  const int least = r.batched_fc ? h.rows + h.columns : 1;
  if (r.stream_words) {
    h.stream_words = static_cast<int>(*r.stream_words);
  } else {
    const int chunk = fewest.chunk();
    const int from = std::max(chunk, least), to = std::max(fewest.banks() * chunk, least);
    h.stream_words = fastest(r, h, &ArrayRequest::stream_words,
                             has_fc(r) ? std::vector{to} : widths(from, to, chunk));
    if (has_fc(r)) {
      const auto elements = static_cast<int>(r.fc_elements.value_or(r.rows * r.columns));
      // Enough words for the elements of fully connected layers and for a chunk of pixels.
      h.stream_words = std::max({elements, chunk, least});
    }
  }
  if (r.output_words)
    h.output_words = static_cast<int>(*r.output_words);
  else
    h.output_words = fastest(r, h, &ArrayRequest::output_words, widths(1, h.columns, 1));
}

template <class T>
std::vector<T> spread(const std::variant<std::int64_t, std::vector<std::int64_t>>& value,
                      std::int64_t count) {
  if (const auto* one = std::get_if<std::int64_t>(&value))
    return std::vector<T>(static_cast<std::size_t>(count), static_cast<T>(*one));
  std::vector<T> all;
  for (const std::int64_t v : std::get<std::vector<std::int64_t>>(value))
    all.push_back(static_cast<T>(v));
  return all;
}

double products(const LayerJob& job) {
  return static_cast<double>(job.weight_count()) / static_cast<double>(job.outputs());
}

// With more weights than this, checking each one takes too long.
constexpr std::int64_t many_weights = std::int64_t{1} << 27;

// The bits of random weights: the most for which no input overflows the accumulators. Sums are
// estimated from the mean magnitude, half of the largest, plus a few per cent for chance. If there
// are too many weights to check, the estimate uses the largest magnitude for all of them.
int random_bits(const LayerJob& job, const ArrayPlan& plan) {
  const double pixels = job.pool.kind == PoolKind::average ? job.pool.size * job.pool.size : 1;
  const double slots = job.shape.kind == Kind::fc ? plan.depth() : 1;
  const double most = std::min(std::ldexp(slots, plan.lane_bits() - 1),
                               std::ldexp(1 / pixels, plan.sum_bits() - 1));
  const double sizes =
      job.weight_count() > many_weights ? 2 * (products(job) + slots) : 1.1 * products(job);
  int bits = plan.request.coefficient_bits;
  while (bits > 2 && std::ldexp(sizes, plan.request.data_bits - 1 + bits - 2) >= most) --bits;
  return bits;
}

// Sums of n products of uniform numbers spread with the root of n; a third of the range is one
// sigma.
double usual_scale(const LayerJob& job, const ArrayPlan& plan) {
  const int bits = job.random_bits() > 0 ? job.random_bits() : plan.request.coefficient_bits;
  return std::ldexp(1 / std::sqrt(products(job)), 1 - bits);
}

// The divisor of a scale: the mean of a pooling window is its sum divided by its pixels.
double pixels_of(const LayerJob& job) {
  return job.pool.kind == PoolKind::average ? job.pool.size * job.pool.size : 1;
}

// Refuses a user's scale that the hardware cannot approximate, and reports the nearest possible
// one.
void require_near(const LayerJob& job, const Scaling& s, const ArrayPlan& plan) {
  const double wanted = *job.scale, pixels = pixels_of(job);
  const double error = s.error(wanted / pixels);
  if (plan.packed()) {
    if (std::abs(error) <= std::ldexp(1, -16)) return;
    throw Refusal(code::scale_not_met, job.shape.name, "scale",
                  fmt::format("a multiplier of 16 bits and a shift of 1 to 47 do not come near the "
                              "scale: {} / 2^{} is off by {:+.2g}",
                              s.multiplier, s.shift, error),
                  fmt::format("it must be {:.4g} to {:.6g}", pixels * std::ldexp(1, 15 - 47),
                              pixels * 65535 / 2));
  }
  if (error == 0) return;
  const int below = std::clamp(static_cast<int>(std::ceil(-std::log2(wanted / pixels))), 1, 47);
  const int above = std::max(1, below - 1);
  std::string use =
      fmt::format("use {} ({} / 2^{})", pixels * std::ldexp(1, -below), pixels, below);
  if (above != below)
    use += fmt::format(" or {} ({} / 2^{})", pixels * std::ldexp(1, -above), pixels, above);
  throw Refusal(
      code::scale_not_met, job.shape.name, "scale",
      fmt::format("results of more than 8 bits are only shifted, which makes no scale of {}",
                  wanted),
      use + ", or give a \"shift\"");
}

// Pixels in the window of an average.
double pixels_of_mean(const NetworkLayer& l) {
  if (l.type != LayerType::average) return 1;
  return static_cast<double>(l.window()[0] * l.window()[1]);
}

std::vector<double> scales_of_mean(const NetworkLayer& l) {
  if (!l.scale) return {1};
  if (const auto* one = std::get_if<double>(&*l.scale)) return {*one};
  return std::get<std::vector<double>>(*l.scale);
}

// Requires an exact float32; suggests the nearest one, but does not use it.
float as_float32(const LayerJob& job, double wanted, const std::string& key) {
  const auto nearest = static_cast<float>(wanted);
  if (nearest == wanted) return nearest;
  throw Refusal(code::scale_not_met, job.shape.name, key, "the scale is not a float32",
                fmt::format("use {:.17g}, the nearest one", nearest));
}

void scale_as_float32(LayerJob& job, const NetworkLayer& l, const ArrayPlan& plan) {
  const auto mean = pixels_of_mean(l);
  for (const auto& [key, given] :
       {std::pair{"shift", l.shift.has_value()}, {"multiplier", l.multiplier.has_value()}})
    if (given)
      throw Refusal(code::conflicting_keys, job.shape.name, key,
                    fmt::format("\"{}\" is given, but results are requantised as float32", key),
                    "give \"scale\"");
  if (l.type == LayerType::average) {
    // Divided in float32, as in onnxruntime's global average.
    for (const double s : scales_of_mean(l)) job.scales.push_back(static_cast<float>(s / mean));
  } else if (!l.scale) {
    job.scales = {static_cast<float>(usual_scale(job, plan))};
  } else if (const auto* one = std::get_if<double>(&*l.scale)) {
    job.scales = {as_float32(job, *one, "scale")};
  } else {
    const auto& all = std::get<std::vector<double>>(*l.scale);
    for (std::size_t i = 0; i < all.size(); ++i)
      job.scales.push_back(as_float32(job, all[i], fmt::format("scale/{}", i)));
  }
  job.zero_point = l.zero_point.value_or(0);
  job.input_zero_point = l.input_zero_point.value_or(0);
  job.clamp = l.clamp;
}

void scale(LayerJob& job, const NetworkLayer& l, const ArrayPlan& plan) {
  if (plan.request.float32) return scale_as_float32(job, l, plan);
  const std::int64_t outputs = job.outputs();
  if (l.shift) {
    job.shift = spread<int>(*l.shift, outputs);
    if (l.multiplier) job.multiplier = spread<std::uint32_t>(*l.multiplier, outputs);
    return;
  }
  if (l.scale) job.scale = std::get<double>(*l.scale);
  if (l.type == LayerType::average) job.scale = job.scale.value_or(1) / pixels_of_mean(l);
  const double factor = job.scale.value_or(usual_scale(job, plan)) / pixels_of(job);
  const Scaling s = scaling(factor, plan.packed());
  if (job.scale) require_near(job, s, plan);
  job.multiplier.assign(static_cast<std::size_t>(outputs), s.multiplier);
  job.shift.assign(static_cast<std::size_t>(outputs), s.shift);
}

// Checks keys that only one form of requantisation has.
void check_requantisation(const Request& r, config::Violations& all) {
  if (r.requantise == Requantise::float32) return;
  for (std::size_t i = 0; i < r.network.size(); ++i) {
    const NetworkLayer& l = r.network[i];
    const bool list = l.scale && std::holds_alternative<std::vector<double>>(*l.scale);
    for (const auto& [key, given] : {std::pair{"zero_point", l.zero_point.has_value()},
                                     {"input_zero_point", l.input_zero_point.has_value()},
                                     {"clamp", l.clamp.has_value()},
                                     {"scale", list}})
      if (given)
        all.push_back({code::key_without_use, fmt::format("network/{}/{}", i, key),
                       list && key == std::string_view("scale")
                           ? "is a list, but the array requantises with a fixed multiplier"
                           : "is given, but the array requantises with a fixed multiplier",
                       "remove it, or set \"requantise\" of the array to \"float32\""});
  }
}

// The zero points of a map must be those of the layer that produced it.
void check_zero_points(const Request& r, config::Violations& all) {
  for (std::size_t i = 1; i < r.network.size(); ++i) {
    const NetworkLayer& l = r.network[i];
    const std::int64_t before = r.network[i - 1].zero_point.value_or(0);
    if (l.input == InputFrom::host || !l.input_zero_point || *l.input_zero_point == before)
      continue;
    all.push_back(
        {code::conflicting_keys, fmt::format("network/{}/input_zero_point", i),
         fmt::format("is not the zero point of {}, whose results come in", r.network[i - 1].name),
         fmt::format("use {}, or set \"input\" to \"host\"", before)});
  }
}

// The weights of an average are ones.
bool has_weights(const NetworkLayer& l) {
  return l.weights.has_value() || l.type == LayerType::average;
}

// Every given key about weights must have an effect, and every required one must be given.
void check_weights(const Request& r, config::Violations& all) {
  const bool random = r.weights_from.has_value();
  const auto own = std::ranges::count_if(r.network, has_weights);
  if (own == 0 && !random) {
    all.push_back({code::no_weights, "weights_from",
                   "is missing, and no layer of the network has weights",
                   "set it to \"random\", or give \"weights\" in every layer"});
    return;
  }
  if (random && own == static_cast<std::ptrdiff_t>(r.network.size()))
    all.push_back({code::key_without_use, "weights_from",
                   "is given, but every layer has weights of its own", "remove it"});
  const std::int64_t most = (std::int64_t{1} << (coefficient_bits(r) - 1)) - 1;
  for (std::size_t i = 0; i < r.network.size(); ++i) {
    const NetworkLayer& l = r.network[i];
    const auto key = [&](const char* name) { return fmt::format("network/{}/{}", i, name); };
    if (!has_weights(l) && !random)
      all.push_back({code::no_weights, fmt::format("network/{}", i), "the layer has no \"weights\"",
                     "give a list or a file, or set \"weights_from\" of the array to \"random\"",
                     true});
    if (!l.weights) continue;
    for (auto& wrong : config::check_range(key("weights"), *l.weights, -most - 1, most))
      all.push_back(std::move(wrong));
    if (l.seed)
      all.push_back({code::key_without_use, key("seed"), "is given, but the weights are not random",
                     "remove it"});
    if (!l.scale && !l.shift)
      all.push_back({code::no_scale, key("scale"), "is missing, but weights are given",
                     r.requantise == Requantise::float32
                         ? "give \"scale\""
                         : "give \"scale\", or \"shift\" with \"multiplier\""});
  }
}

void check_inputs(const Request& r, config::Violations& all) {
  for (std::size_t i = 0; i < r.network.size(); ++i) {
    const NetworkLayer& l = r.network[i];
    const auto key = [&](const char* name) { return fmt::format("network/{}/{}", i, name); };
    const bool host = l.input == InputFrom::host;
    if (i == 0) {
      if (l.input == InputFrom::previous)
        all.push_back(
            {code::no_input_map, key("input"), "has no layer before it", "must be \"host\""});
      continue;
    }
    if (host) continue;
    const NetworkLayer& last = r.network[i - 1];
    const LayerJob job = laid_out(l, r.fc_batch());
    const MapShape before = laid_out(last, r.fc_batch()).out_shape();
    if (job.takes(before)) continue;
    const MapShape in = job.in_shape();
    const bool fc = l.kind() == Kind::fc;
    const char* blamed = fc                               ? "inputs"
                         : in.channels != before.channels ? "in_channels"
                         : in.height != before.height     ? "height"
                                                          : "width";
    all.push_back(
        {code::maps_differ, key(blamed),
         fmt::format("does not fit: the layer takes {} x {} x {}, but {} gives {} x {} x {}",
                     in.channels, in.height, in.width, last.name, before.channels, before.height,
                     before.width),
         "change the sizes of one of the two, or set \"input\" to \"host\""});
  }
}

}  // namespace

double Scaling::error(double scale) const { return std::ldexp(multiplier, -shift) / scale - 1; }

config::Violations check_numbers(const Request& r) {
  config::Violations all;
  check_weights(r, all);
  check_inputs(r, all);
  check_requantisation(r, all);
  check_zero_points(r, all);
  return all;
}

Program program_of(const Request& r) {
  if (r.graph) return program_of_graph(r);
  try {
    const ArrayPlan p = plan(hardware_of(r));
    return compile(p, jobs_of(r, p));
  } catch (const Refusal& e) {
    const auto layer = std::ranges::find(r.network, e.layer, &NetworkLayer::name);
    std::string key = e.key;
    if (layer != r.network.end()) {
      key = fmt::format("network/{}", layer - r.network.begin());
      if (!e.key.empty()) key += "/" + e.key;
    }
    throw config::Refusal({e.code(), key.empty() ? "network" : key, e.message, e.required, true});
  } catch (const DesignError& e) {
    throw config::Refusal("network", e);
  }
}

Scaling scaling(double scale, bool multiplies) {
  Scaling s;
  if (!multiplies) {
    s.shift = std::clamp(static_cast<int>(std::lround(-std::log2(scale))), 1, 47);
    return s;
  }
  s.shift = std::clamp(static_cast<int>(std::floor(std::log2(65535 / scale))), 1, 47);
  s.multiplier =
      static_cast<std::uint32_t>(std::clamp(std::round(std::ldexp(scale, s.shift)), 0.0, 65535.0));
  return s;
}

ArrayRequest hardware_of(const Request& r) {
  ArrayRequest h{.rows = static_cast<int>(r.rows),
                 .columns = static_cast<int>(r.columns),
                 .accumulators = static_cast<int>(r.accumulators),
                 .data_bits = static_cast<int>(r.bits)};
  h.coefficient_bits = static_cast<int>(coefficient_bits(r));
  const auto layers = static_cast<std::int64_t>(r.network.size());
  h.layers = static_cast<int>(r.descriptors.value_or(std::max<std::int64_t>(16, layers)));
  h.split = static_cast<int>(r.split);
  h.batched_fc = r.batched_fc;
  h.narrow_slices = r.narrow_slices;
  h.float32 = r.requantise == Requantise::float32;
  h.max_pool = r.max_pool.value_or(pools(r, PoolKind::max));
  h.average_pool = r.average_pool.value_or(pools(r, PoolKind::average));
  size_memories(r, h);
  size_streams(r, h);
  return h;
}

namespace {

// The first random numbers, as many as the layer has weights.
std::vector<std::int64_t> numbers_of(const Weights& random, const NetworkLayer& l) {
  const std::int64_t count =
      l.made_channels() * (*l.in_channels / l.groups) * l.window()[0] * l.window()[1];
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(random[i]);
  return all;
}

}  // namespace

LayerJob laid_out(const NetworkLayer& l, std::int64_t fc_batch) {
  return {.shape = shape_of(l, fc_batch), .pool = pool_of(l), .kept = kept_of(l)};
}

LayerJob job_of(const NetworkLayer& l, const ArrayPlan& plan, std::int64_t fc_batch) {
  LayerJob job = laid_out(l, fc_batch);
  job.relu = l.relu;
  job.own_input = l.input == InputFrom::host;
  const auto seed = static_cast<std::uint64_t>(l.seed.value_or(1));
  const auto [rows, columns] = l.window();
  if (l.kind() == Kind::conv)
    job.empty_taps = job.shape.conv.kernel * job.shape.conv.kernel - rows * columns;
  if (l.weights)
    job.weights = Weights(in_square(l, l.weights->values));
  else if (l.type == LayerType::average)
    job.weights =
        Weights(in_square(l, std::vector<std::int64_t>(
                                 static_cast<std::size_t>(*l.in_channels * rows * columns), 1)));
  else
    job.weights = Weights(seed, random_bits(job, plan));
  // Random kernels also get zeros in the empty taps.
  if (job.weights.random() && l.kind() == Kind::conv && rows != columns) {
    job.drawn_bits = job.weights.bits();
    job.weights = Weights(in_square(l, numbers_of(job.weights, l)));
  }
  if (l.bias) {
    job.bias = *l.bias;
  } else if (!has_weights(l) && job.weight_count() <= many_weights) {
    const int bits = plan.request.data_bits + plan.request.coefficient_bits - 1;
    for (std::int64_t c = 0; c < job.outputs(); ++c)
      job.bias.push_back(random_number(~seed, static_cast<std::uint64_t>(c), std::min(bits, 31)));
  }
  scale(job, l, plan);
  return job;
}

std::vector<LayerJob> jobs_of(const Request& request, const ArrayPlan& plan) {
  std::vector<LayerJob> all;
  // Layers with the same seed still get different numbers.
  for (NetworkLayer l : request.network) {
    if (!all.empty() && l.input != InputFrom::host && !l.input_zero_point)
      l.input_zero_point = all.back().zero_point;
    l.seed = l.seed.value_or(1) + (static_cast<std::int64_t>(all.size()) << 32);
    all.push_back(job_of(l, plan, request.fc_batch()));
  }
  return all;
}

std::vector<std::optional<Tensor>> inputs_of(const Program& program, std::uint64_t seed) {
  std::vector<std::optional<Tensor>> all;
  for (const ProgramLayer& layer : program.layers) {
    if (!all.empty() && !layer.job.own_input &&
        layer.job.takes(program.layers[all.size() - 1].job.out_shape()))
      all.emplace_back(std::nullopt);
    else
      all.emplace_back(
          random_tensor(layer.job.in_shape(), seed + all.size(), program.plan.request.data_bits));
  }
  return all;
}

}  // namespace kumiki::gen::array
