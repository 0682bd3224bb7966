// SPDX-License-Identifier: Apache-2.0
#include "gen/graph/interpret.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "gen/graph/quantise.h"
#include "ir/error.h"
#include "ir/processors.h"

namespace kumiki::gen::graph {
namespace {

using Numbers = std::vector<std::int32_t>;

// Terms of a sum come in groups of so many, so that compilers make vectors of them.
constexpr std::size_t lanes = 16;
std::size_t in_lanes(std::size_t terms) { return (terms + lanes - 1) / lanes * lanes; }

template <class Term>
std::int32_t dot(const Term* a, const std::int16_t* w, std::size_t terms) {
  std::int32_t sums[lanes] = {};
  for (std::size_t t = 0; t < terms; t += lanes)
    for (std::size_t l = 0; l < lanes; ++l) sums[l] += a[t + l] * w[t + l];
  std::int32_t sum = 0;
  for (const std::int32_t s : sums) sum += s;
  return sum;
}

std::int32_t narrow(std::int64_t q) { return static_cast<std::int32_t>(q); }

}  // namespace

// In float32, in the order of onnxruntime's kernels for x86 with fused multiply and add: b first.
std::int32_t added(const Tensor& a, const Tensor& b, const Tensor& out, std::int32_t qa,
                   std::int32_t qb) {
  const float ra = a.scale / out.scale, rb = b.scale / out.scale;
  const float zero_points =
      std::fma(ra, static_cast<float>(a.zero_point), rb * static_cast<float>(b.zero_point));
  const float fixed = static_cast<float>(out.zero_point) - zero_points;
  const float sum =
      std::fma(static_cast<float>(qa), ra, std::fma(static_cast<float>(qb), rb, fixed));
  const arith::Interval range = numbers_of(out);
  const auto lo = static_cast<double>(static_cast<std::int64_t>(range.lo));
  const auto hi = static_cast<double>(static_cast<std::int64_t>(range.hi));
  return static_cast<std::int32_t>(std::clamp(std::nearbyint(static_cast<double>(sum)), lo, hi));
}

// The zero point is added before the quotient is rounded.
std::int32_t pooled(float sum, int taps, const Tensor& out) {
  const float mean = sum / static_cast<float>(taps);
  const float at = std::nearbyint(mean / out.scale + static_cast<float>(out.zero_point));
  const arith::Interval range = numbers_of(out);
  return static_cast<std::int32_t>(
      std::clamp(static_cast<double>(at), static_cast<double>(static_cast<std::int64_t>(range.lo)),
                 static_cast<double>(static_cast<std::int64_t>(range.hi))));
}

namespace {

std::int32_t lowest(const Tensor& t) {
  return narrow(static_cast<std::int64_t>(t.format.range().lo));
}

}  // namespace

struct Interpreter::Step {
  const Node* node = nullptr;
  std::vector<arith::FloatRule> rules = {};
  std::vector<std::int16_t> weights = {};  // of Conv, every channel in whole lanes
  Numbers table = {};                      // of Add, [a][b]
};

namespace {

// The numbers under a window at one position, less the zero point: padding is 0.
template <class Term>
void gather(const Conv& c, const Tensor& in, const Numbers& x, int group, int row, int column,
            Term* patch) {
  const int channels = in.shape[0] / c.groups, rows = in.shape[1], columns = in.shape[2];
  const Window& w = c.window;
  const int top = row * w.stride[0] - w.before[0], left = column * w.stride[1] - w.before[1];
  for (int i = 0; i < channels; ++i) {
    const std::int32_t* map = x.data() + static_cast<std::size_t>(group * channels + i) *
                                             static_cast<std::size_t>(rows) *
                                             static_cast<std::size_t>(columns);
    for (int kr = 0; kr < w.kernel[0]; ++kr) {
      const int r = top + kr * w.dilation[0];
      for (int kc = 0; kc < w.kernel[1]; ++kc) {
        const int k = left + kc * w.dilation[1];
        const bool outside = r < 0 || r >= rows || k < 0 || k >= columns;
        *patch++ = static_cast<Term>(outside ? 0 : map[r * columns + k] - in.zero_point);
      }
    }
  }
}

template <class Term>
void convolve(const Conv& c, const std::vector<std::int16_t>& weights,
              const std::vector<arith::FloatRule>& rules, const Tensor& in, const Tensor& out,
              const Numbers& x, Numbers& y) {
  const std::size_t channels = c.bias.size(), terms = c.weights.size() / channels;
  const std::size_t padded = in_lanes(terms), of_group = channels / std::size_t(c.groups);
  const std::size_t pixels = std::size_t(out.shape[1]) * std::size_t(out.shape[2]);
  std::vector<Term> patch(padded);
  for (int g = 0; g < c.groups; ++g)
    for (std::size_t p = 0; p < pixels; ++p) {
      gather(c, in, x, g, static_cast<int>(p) / out.shape[2], static_cast<int>(p) % out.shape[2],
             patch.data());
      for (std::size_t o = of_group * std::size_t(g); o < of_group * std::size_t(g + 1); ++o) {
        const std::int32_t sum = dot(patch.data(), weights.data() + o * padded, padded) + c.bias[o];
        y[o * pixels + p] = narrow(requantised(rules[o], sum));
      }
    }
}

void pool(const MaxPool& m, const Tensor& in, const Tensor& out, const Numbers& x, Numbers& y) {
  const Window& w = m.window;
  std::size_t at = 0;
  for (int i = 0; i < out.shape[0]; ++i)
    for (int row = 0; row < out.shape[1]; ++row)
      for (int column = 0; column < out.shape[2]; ++column) {
        std::int32_t most = std::numeric_limits<std::int32_t>::min();
        for (int kr = 0; kr < w.kernel[0]; ++kr)
          for (int kc = 0; kc < w.kernel[1]; ++kc) {
            const int r = row * w.stride[0] - w.before[0] + kr * w.dilation[0];
            const int k = column * w.stride[1] - w.before[1] + kc * w.dilation[1];
            if (r < 0 || r >= in.shape[1] || k < 0 || k >= in.shape[2]) continue;
            most = std::max(most,
                            x[static_cast<std::size_t>((i * in.shape[1] + r) * in.shape[2] + k)]);
          }
        y[at++] = most;
      }
}

void average(const AveragePool& p, const Tensor& in, const Tensor& out, const Numbers& x,
             Numbers& y) {
  const Window& w = p.window;
  const int taps = w.kernel[0] * w.kernel[1];
  std::size_t at = 0;
  for (int i = 0; i < out.shape[0]; ++i)
    for (int row = 0; row < out.shape[1]; ++row)
      for (int column = 0; column < out.shape[2]; ++column) {
        float sum = 0;
        for (int kr = 0; kr < w.kernel[0]; ++kr)
          for (int kc = 0; kc < w.kernel[1]; ++kc) {
            const int r = row * w.stride[0] - w.before[0] + kr * w.dilation[0];
            const int k = column * w.stride[1] - w.before[1] + kc * w.dilation[1];
            if (r < 0 || r >= in.shape[1] || k < 0 || k >= in.shape[2]) continue;
            sum += real_value(in,
                              x[static_cast<std::size_t>((i * in.shape[1] + r) * in.shape[2] + k)]);
          }
        y[at++] = pooled(sum, taps, out);
      }
}

void transpose(const Transpose& t, const Tensor& in, const Tensor& out, const Numbers& x,
               Numbers& y) {
  const std::size_t axes = in.shape.size();
  std::vector<std::size_t> step(axes, 1), jump(axes);
  for (std::size_t a = axes - 1; a > 0; --a) step[a - 1] = step[a] * std::size_t(in.shape[a]);
  for (std::size_t a = 0; a < axes; ++a) jump[a] = step[std::size_t(t.order[a])];
  for (std::size_t at = 0; at < y.size(); ++at) {
    std::size_t rest = at, from = 0;
    for (std::size_t a = axes; a-- > 0; rest /= std::size_t(out.shape[a]))
      from += rest % std::size_t(out.shape[a]) * jump[a];
    y[at] = x[from];
  }
}

void step(const Thresholds& t, const Tensor& in, const Numbers& x, Numbers& y) {
  const auto channels = static_cast<std::size_t>(in.shape[0]);
  const auto levels = static_cast<std::size_t>(t.levels);
  const std::size_t of_channel = x.size() / channels;
  for (std::size_t c = 0; c < channels; ++c) {
    const std::int32_t* begins = t.begins.data() + (t.begins.size() == levels ? 0 : c * levels);
    const bool falls = !t.falling.empty() && t.falling[c] != 0;
    for (std::size_t i = c * of_channel; i < (c + 1) * of_channel; ++i) {
      const auto passed =
          static_cast<std::int32_t>(std::upper_bound(begins, begins + levels, x[i]) - begins);
      y[i] = t.lowest + (falls ? t.levels - passed : passed);
    }
  }
}

}  // namespace

Interpreter::Interpreter(const Graph& graph) : graph_(graph) {
  require_legal(graph);
  for (const Node& n : graph.nodes) {
    Step step{.node = &n, .rules = rules_of(graph, n)};
    if (const auto* conv = std::get_if<Conv>(&n.op)) {
      const std::size_t channels = conv->bias.size(), terms = conv->weights.size() / channels;
      step.weights.resize(channels * in_lanes(terms));
      for (std::size_t o = 0; o < channels; ++o)
        std::copy_n(conv->weights.begin() + static_cast<std::ptrdiff_t>(o * terms), terms,
                    step.weights.begin() + static_cast<std::ptrdiff_t>(o * in_lanes(terms)));
    }
    if (const auto* add = std::get_if<Add>(&n.op)) {
      const Tensor& a = graph.tensors[n.inputs[0]];
      const Tensor& b = graph.tensors[n.inputs[1]];
      const auto pairs = a.format.bits + b.format.bits;
      step.table.assign(add->table.begin(), add->table.end());
      for (int i = 0; add->table.empty() && pairs <= 16 && i < 1 << pairs; ++i)
        step.table.push_back(added(a, b, graph.tensors[n.output], lowest(a) + (i >> b.format.bits),
                                   lowest(b) + (i & ((1 << b.format.bits) - 1))));
    }
    steps_.push_back(std::move(step));
  }
}

Interpreter::~Interpreter() = default;

void Interpreter::require_images(std::span<const std::int32_t> images) const {
  const Tensor& input = graph_.tensors[graph_.input];
  const std::size_t size = count(input.shape);
  if (images.size() % size != 0)
    throw DesignError(Code::image_size,
                      fmt::format("an image of {} numbers: the input {} is {}, {} numbers",
                                  images.size() % size, input.name, to_string(input.shape), size));
  const arith::Interval range = input.format.range();
  const auto lo = static_cast<std::int64_t>(range.lo), hi = static_cast<std::int64_t>(range.hi);
  for (std::size_t i = 0; i < images.size(); ++i)
    if (images[i] < lo || images[i] > hi)
      throw DesignError(Code::image_range,
                        fmt::format("image {}, number {} is {}: the input {} holds {}", i / size,
                                    i % size, images[i], input.name, to_string(range)));
}

void Interpreter::run(std::span<const std::int32_t> image, Memory& memory) const {
  require_images(image);
  const Tensor& input = graph_.tensors[graph_.input];
  if (image.size() != count(input.shape))
    throw DesignError(Code::image_size, fmt::format("{} images: the input {} takes one",
                                                    image.size() / count(input.shape), input.name));
  compute(image, memory);
}

void Interpreter::compute(std::span<const std::int32_t> image, Memory& memory) const {
  memory.resize(graph_.tensors.size());
  memory[graph_.input].assign(image.begin(), image.end());
  for (const Step& s : steps_) compute(s, memory);
}

void Interpreter::run_node(std::size_t node, Memory& memory) const {
  compute(steps_.at(node), memory);
}

void Interpreter::compute(const Step& s, Memory& memory) const {
  const auto tensor = [&](TensorId id) -> const Tensor& { return graph_.tensors[id]; };
  const Node& n = *s.node;
  const Tensor &in = tensor(n.inputs[0]), &out = tensor(n.output);
  const Numbers& x = memory[n.inputs[0]];
  Numbers& y = memory[n.output];
  y.resize(count(out.shape));
  if (const auto* conv = std::get_if<Conv>(&n.op)) {
    if (in.format.bits < 15)
      convolve<std::int16_t>(*conv, s.weights, s.rules, in, out, x, y);
    else
      convolve<std::int32_t>(*conv, s.weights, s.rules, in, out, x, y);
  } else if (std::holds_alternative<Add>(n.op)) {
    const Numbers& b = memory[n.inputs[1]];
    const Tensor& other = tensor(n.inputs[1]);
    const int bits = other.format.bits;
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = s.table.empty() ? added(in, other, out, x[i], b[i])
                             : s.table[static_cast<std::size_t>(((x[i] - lowest(in)) << bits) +
                                                                (b[i] - lowest(other)))];
  } else if (const auto* most = std::get_if<MaxPool>(&n.op)) {
    pool(*most, in, out, x, y);
  } else if (const auto* mean = std::get_if<AveragePool>(&n.op)) {
    average(*mean, in, out, x, y);
  } else if (std::holds_alternative<GlobalAverage>(n.op)) {
    const std::size_t pixels = x.size() / y.size();
    for (std::size_t c = 0; c < y.size(); ++c) {
      std::int32_t sum = 0;
      for (std::size_t p = 0; p < pixels; ++p) sum += x[c * pixels + p] - in.zero_point;
      y[c] = narrow(requantised(s.rules[c], sum));
    }
  } else if (const auto* lookup = std::get_if<Lookup>(&n.op)) {
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = lookup->values[static_cast<std::size_t>(x[i] - lowest(in))];
  } else if (std::holds_alternative<Concat>(n.op)) {
    auto at = y.begin();
    for (const TensorId id : n.inputs) at = std::ranges::copy(memory[id], at).out;
  } else if (std::holds_alternative<Reshape>(n.op)) {
    y = x;
  } else if (const auto* order = std::get_if<Transpose>(&n.op)) {
    transpose(*order, in, out, x, y);
  } else if (const auto* thresholds = std::get_if<Thresholds>(&n.op)) {
    step(*thresholds, in, x, y);
  } else {
    y[0] = static_cast<std::int32_t>(std::ranges::max_element(x) - x.begin());
  }
}

std::vector<std::int32_t> Interpreter::run_all(
    std::span<const std::int32_t> images, TensorId output, unsigned threads,
    const std::function<bool(std::size_t)>& progress) const {
  require_images(images);
  const std::size_t size = count(graph_.tensors[graph_.input].shape);
  const std::size_t of_result = count(graph_.tensors[output].shape);
  const std::size_t all = images.size() / size;
  std::vector<std::int32_t> results(all * of_result);
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> stopped = false;
  std::mutex lock;
  std::condition_variable ended;
  const auto work = [&] {
    Memory memory;
    for (std::size_t i = next++; i < all && !stopped; i = next++, ++done) {
      compute(images.subspan(i * size, size), memory);
      std::ranges::copy(memory[output],
                        results.begin() + static_cast<std::ptrdiff_t>(i * of_result));
    }
    const std::lock_guard guard(lock);
    ended.notify_one();
  };
  if (threads == 0) threads = ir::processors();
  if (threads == 1 && !progress) {
    work();
    return results;
  }
  std::vector<std::jthread> workers;
  for (unsigned t = 0; t < std::min<std::size_t>(threads, all); ++t) workers.emplace_back(work);
  // It is asked once at least, however fast they are.
  bool goes_on = static_cast<bool>(progress);
  while (goes_on) {
    stopped = !progress(done);
    std::unique_lock guard(lock);
    ended.wait_for(guard, std::chrono::milliseconds(20), [&] { return stopped || done >= all; });
    goes_on = done < all && !stopped;
  }
  workers.clear();
  if (stopped) results.clear();
  return results;
}

}  // namespace kumiki::gen::graph
