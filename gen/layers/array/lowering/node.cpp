// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/lowering/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "gen/arith/stepped_rule.h"
#include "gen/arith/steps.h"
#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {
namespace {

using graph::Conv;
using graph::Graph;
using graph::Node;
using graph::Window;

std::string both(const std::array<int, 2>& a) { return fmt::format("{}x{}", a[0], a[1]); }

std::string ordinal(std::int64_t n) {
  return n == 1 ? "single" : n == 2 ? "second" : n == 3 ? "third" : fmt::format("{}th", n);
}

// Sets the zero points and the bounds of a layer. False: the array cannot hold the numbers.
bool set_numbers(NodeLayer& out, NetworkLayer& l, const graph::Tensor& from,
                 const graph::Tensor& to, int bits) {
  const auto in = offset_of(from, bits), result = offset_of(to, bits);
  if (!in || !result) {
    const graph::Tensor& wide = in ? to : from;
    out.why = fmt::format("{} is {}: the array has numbers of {} bits", wide.name,
                          to_string(wide.format), bits);
    return false;
  }
  out.output_offset = *result;
  l.input_zero_point = from.zero_point - *in;
  l.zero_point = to.zero_point - *result;
  const arith::Interval range = to.format.range() - arith::Exact(*result);
  if (range != arith::signed_range(bits))
    l.clamp = {static_cast<std::int64_t>(range.lo), static_cast<std::int64_t>(range.hi)};
  return true;
}

// A window for the array: one kernel size, stride and dilation for rows and columns.
struct Square {
  int kernel = 1, dilation = 1;
  std::array<int, 2> stride{1, 1};
  std::array<int, 2> step{1, 1};   // from tap to tap of the window, in taps of the kernel
  std::array<int, 2> after{0, 0};  // padding
};

// Returns "" if there is one.
std::string square_of(const Window& w, const std::array<int, 2>& map, Square& s) {
  const auto divides = [&](int d) {
    return std::ranges::all_of(std::array{0, 1}, [&](int a) {
      return w.kernel[std::size_t(a)] == 1 || w.dilation[std::size_t(a)] % d == 0;
    });
  };
  const bool one_tap = w.kernel == std::array{1, 1};
  s.dilation = !one_tap && divides(2) ? 2 : 1;
  for (const std::size_t a : {0, 1}) {
    if (w.kernel[a] > 1) s.step[a] = w.dilation[a] / s.dilation;
    s.kernel = std::max(s.kernel, (w.kernel[a] - 1) * s.step[a] + 1);
  }
  if (s.kernel > largest_kernel)
    return fmt::format("a kernel of {}{}: at most {} taps a side are built", both(w.kernel),
                       w.dilation == std::array{1, 1} ? "" : " at dilation " + both(w.dilation),
                       largest_kernel);
  // With a single position, any stride that allows no second one is equivalent.
  const auto takes = [&](std::size_t a, int stride) {
    const int room = map[a] + w.before[a] + w.after[a] - w.reach(int(a));
    return w.stride[a] == stride || (room < w.stride[a] && room < stride);
  };
  s.stride = w.stride;
  for (int stride = largest_stride; stride > 0; --stride)
    if (takes(0, stride) && takes(1, stride)) s.stride = {stride, stride};
  for (const std::size_t a : {0, 1}) {
    // Empty taps reach further; they read padding.
    s.after[a] = w.after[a] + (s.kernel - 1) * s.dilation + 1 - w.reach(int(a));
    const int most = std::max(w.before[a], s.after[a]);
    if (most > largest_padding)
      return fmt::format("padding of {} {}: at most {} is built", most, a == 0 ? "rows" : "columns",
                         largest_padding);
  }
  return "";
}

// The shortest form of the padding.
std::variant<std::int64_t, std::vector<std::int64_t>> padding_of(const std::array<int, 2>& before,
                                                                 const std::array<int, 2>& after) {
  if (before[0] != before[1] || after[0] != after[1])
    return std::vector<std::int64_t>{before[0], before[1], after[0], after[1]};
  if (before[0] != after[0]) return std::vector<std::int64_t>{before[0], after[0]};
  return std::int64_t{before[0]};
}

config::Weights weights_of(const Conv& conv, const Square& s) {
  const auto rows = static_cast<std::size_t>(conv.window.kernel[0]),
             columns = static_cast<std::size_t>(conv.window.kernel[1]);
  const auto side = static_cast<std::size_t>(s.kernel);
  const auto down = static_cast<std::size_t>(s.step[0]),
             across = static_cast<std::size_t>(s.step[1]);
  const std::size_t kernels = conv.weights.size() / (rows * columns);
  config::Weights w{.values = std::vector<std::int64_t>(kernels * side * side), .shape = {}};
  w.shape = {w.values.size()};
  for (std::size_t k = 0; k < kernels; ++k)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        w.values[(k * side + r * down) * side + c * across] =
            conv.weights[(k * rows + r) * columns + c];
  return w;
}

// Whether the window has one position, which covers the whole map.
bool is_whole_map(const Conv& conv, const graph::Tensor& in) {
  const Window& w = conv.window;
  for (const std::size_t a : {0, 1})
    if (w.kernel[a] != in.shape[a + 1] || w.before[a] != 0 || w.after[a] >= w.stride[a] ||
        (w.kernel[a] > 1 && w.dilation[a] != 1))
      return false;
  return conv.groups == 1;
}

std::variant<double, std::vector<double>> scale_of(const Conv& conv) {
  if (conv.scales.size() == 1) return double{conv.scales[0]};
  return std::vector<double>(conv.scales.begin(), conv.scales.end());
}

// Uses the reached results if the tensor is wider than the array.
graph::Tensor as_reached(const Graph& graph, const Node& node, int bits) {
  graph::Tensor out = graph.tensors[node.output];
  if (offset_of(out, bits)) return out;
  const auto rules = graph::rules_of(graph, node);
  const auto sums = graph::reachable_of(graph, node);
  arith::Interval reached = arith::Interval::point(out.zero_point);
  for (std::size_t c = 0; c < sums.size(); ++c)
    for (const arith::Exact end : {sums[c].lo, sums[c].hi})
      reached = hull(reached,
                     arith::Interval::point(requantised(rules[c], static_cast<std::int32_t>(end))));
  if (reached.within(arith::signed_range(bits)))
    out.format = {bits, true};
  else if (reached.within(arith::unsigned_range(bits)))
    out.format = {bits, false};
  return out;
}

// The largest factor for the weights; 0: they do not even fit unscaled.
std::int64_t most_factor(std::span<const std::int16_t> weights, int sign, int bits) {
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  std::int64_t factor = most;
  for (const std::int64_t w : weights) {
    if (sign * w > 0) factor = std::min(factor, most / (sign * w));
    if (sign * w < 0) factor = std::min(factor, (most + 1) / -(sign * w));
  }
  return factor;
}

NodeLayer layer_of(const Conv& conv, const graph::Tensor& in, const graph::Tensor& out,
                   int data_bits, int coefficient_bits) {
  NodeLayer result;
  NetworkLayer l;
  if (!set_numbers(result, l, in, out, data_bits)) return result;
  const arith::Interval held = arith::signed_range(coefficient_bits);
  for (const std::int16_t w : conv.weights)
    if (!held.contains(w)) {
      result.why =
          fmt::format("a weight of {}: the array has weights of {} bits", w, coefficient_bits);
      return result;
    }
  l.scale = scale_of(conv);
  l.bias = std::vector<std::int64_t>(conv.bias.begin(), conv.bias.end());
  if (is_whole_map(conv, in)) {
    l.type = LayerType::fc;
    l.inputs = static_cast<std::int64_t>(graph::count(in.shape));
    l.outputs = out.shape[0];
    l.weights = config::Weights{.values = {conv.weights.begin(), conv.weights.end()},
                                .shape = {conv.weights.size()}};
    if (graph::count(in.shape) != std::size_t(in.shape[0]))
      result.why = "the window is the whole map";
    result.layer = std::move(l);
    return result;
  }
  Square s;
  result.why = square_of(conv.window, {in.shape[1], in.shape[2]}, s);
  if (!result.why.empty()) return result;
  l.type = LayerType::conv;
  l.in_channels = in.shape[0];
  l.out_channels = out.shape[0];
  l.height = in.shape[1];
  l.width = in.shape[2];
  l.kernel = s.kernel;
  if (s.stride[0] == s.stride[1])
    l.stride = std::int64_t{s.stride[0]};
  else
    l.stride = std::vector<std::int64_t>{s.stride[0], s.stride[1]};
  l.dilation = s.dilation;
  l.groups = conv.groups;
  l.padding = padding_of(conv.window.before, s.after);
  l.weights = weights_of(conv, s);
  const std::size_t taps = l.weights->values.size();
  if (taps > conv.weights.size())
    result.why = fmt::format(
        "{} in {}x{}: {} of {} taps are 0", both(conv.window.kernel), s.kernel, s.kernel,
        s.kernel * s.kernel - conv.window.kernel[0] * conv.window.kernel[1], s.kernel * s.kernel);
  if (const auto kept = kept_of(l); !keeps_all(l))
    result.why += fmt::format(
        "{}strides {}: the array makes {} times the results, of which the host keeps every {} row "
        "and every {} column",
        result.why.empty() ? "" : "; ", both(conv.window.stride), kept[0] * kept[1],
        ordinal(kept[0]), ordinal(kept[1]));
  result.layer = std::move(l);
  return result;
}

}  // namespace

std::optional<int> offset_of(const graph::Tensor& tensor, int bits) {
  const arith::Interval range = tensor.format.range(), held = arith::signed_range(bits);
  const int half = 1 << (bits - 1);
  if (range.within(held)) return 0;
  if ((range - arith::Exact(half)).within(held)) return half;
  return std::nullopt;
}

NodeLayer layer_of_conv(const Graph& graph, const Node& node, int data_bits, int coefficient_bits) {
  const graph::Tensor& out = graph.tensors[node.output];
  const graph::Tensor reached = as_reached(graph, node, data_bits);
  NodeLayer found = layer_of(std::get<Conv>(node.op), graph.tensors[node.inputs[0]], reached,
                             data_bits, coefficient_bits);
  if (found.layer && reached.format != out.format)
    found.why +=
        fmt::format("{}{} of {}: what is reached fits {} bits", found.why.empty() ? "" : "; ",
                    out.name, to_string(out.format), data_bits);
  return found;
}

NodeLayer layer_of_steps(const Graph& graph, const Node& node, const Node& thresholds,
                         int data_bits, int coefficient_bits) {
  const auto& t = std::get<graph::Thresholds>(thresholds.op);
  Conv conv = std::get<Conv>(node.op);
  graph::Tensor out = graph.tensors[thresholds.output];
  NodeLayer result;
  if (!offset_of(out, data_bits)) {
    result.why = fmt::format("{} is {}: the array has numbers of {} bits", out.name,
                             to_string(out.format), data_bits);
    return result;
  }
  const arith::Interval range{t.lowest, arith::Exact{t.lowest} + t.levels};
  // Any zero point works, with other offsets.
  out.zero_point = static_cast<int>(std::clamp(arith::Exact{out.zero_point}, range.lo, range.hi));
  out.shape = graph.tensors[node.output].shape;
  const auto rules = graph::rules_of(graph, node);
  const auto sums = graph::reachable_of(graph, node);
  const std::size_t channels = conv.bias.size(), terms = conv.weights.size() / channels;
  conv.scales.clear();
  std::int64_t largest = 1;
  std::size_t falling = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const bool falls = t.falls(c);
    const int sign = falls ? -1 : 1;
    const std::span<std::int16_t> weights{conv.weights.data() + c * terms, terms};
    const std::int64_t most = most_factor(weights, sign, coefficient_bits);
    if (most == 0) {
      result.why = fmt::format("channel {}: {} do not fit {} bits", c,
                               falls ? "weights, negated for steps that fall," : "weights",
                               coefficient_bits);
      return result;
    }
    const auto steps = arith::steps_of(
        [&](std::int64_t v) {
          return t.at(c, requantised(rules[c], static_cast<std::int32_t>(sign * v)));
        },
        falls ? -sums[c] : sums[c]);
    const auto rule = arith::stepped_rule(steps, range, out.zero_point, most);
    if (!rule) {
      result.why = fmt::format(
          "channel {}: no scale begins its steps where they are, with weights times 1 to {}", c,
          most);
      return result;
    }
    for (std::int16_t& w : weights) w = static_cast<std::int16_t>(sign * rule->factor * w);
    // The sum of only zero points is also reachable, so this is within most_scaled.
    conv.bias[c] = static_cast<std::int32_t>(sign * rule->factor * conv.bias[c] + rule->offset);
    conv.scales.push_back(rule->rule.scale);
    largest = std::max(largest, rule->factor);
    falling += falls ? 1 : 0;
  }
  result = layer_of(conv, graph.tensors[node.inputs[0]], out, data_bits, coefficient_bits);
  if (!result.layer) return result;
  const arith::Interval kept = range - arith::Exact{result.output_offset};
  if (kept != arith::signed_range(data_bits))
    result.layer->clamp = {static_cast<std::int64_t>(kept.lo), static_cast<std::int64_t>(kept.hi)};
  if (largest > 1)
    result.why += fmt::format("{}weights times 1 to {}", result.why.empty() ? "" : "; ", largest);
  if (falling > 0)
    result.why += fmt::format("{}{} of {} channels negated", result.why.empty() ? "" : "; ",
                              falling, channels);
  return result;
}

NodeLayer layer_of_average(const Graph& graph, const Node& node, int data_bits,
                           std::int64_t reach) {
  const graph::Tensor &in = graph.tensors[node.inputs[0]], &out = graph.tensors[node.output];
  NodeLayer result;
  NetworkLayer l;
  if (!set_numbers(result, l, in, out, data_bits)) return result;
  const int channels = in.shape[0], rows = in.shape[1], columns = in.shape[2];
  const int side = std::max(rows, columns);
  if (side > largest_kernel) {
    result.why = fmt::format("the mean of {} pixels: at most {} a side are built",
                             both({rows, columns}), largest_kernel);
    return result;
  }
  l.type = LayerType::conv;
  l.in_channels = l.out_channels = l.groups = channels;
  l.height = rows;
  l.width = columns;
  l.kernel = side;
  int stride = 1;
  while (stride < largest_stride && phases_of(side, stride, 1).reach() > reach) ++stride;
  l.stride = std::int64_t{stride};
  l.padding = padding_of({0, 0}, {side - rows, side - columns});
  config::Weights w;
  for (int c = 0; c < channels; ++c)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) w.values.push_back(y < rows && x < columns ? 1 : 0);
  w.shape = {w.values.size()};
  l.weights = std::move(w);
  l.bias = std::vector<std::int64_t>(static_cast<std::size_t>(channels), 0);
  l.scale = double{graph::rules_of(graph, node)[0].scale};
  result.why = "channel by channel with weights of 1";
  result.layer = std::move(l);
  return result;
}

Pooling pooling_of(const Graph& graph, const Node& node, const Request& request) {
  const Window& w = std::get<graph::MaxPool>(node.op).window;
  const graph::Tensor &in = graph.tensors[node.inputs[0]], &out = graph.tensors[node.output];
  const auto not_built = [&](const std::string& what) {
    return Pooling{std::nullopt, what + ": 2x2 and 3x3 at stride 2 without padding are built"};
  };
  const int size = w.kernel[0];
  if (w.kernel[1] != size || (size != 2 && size != 3))
    return not_built(fmt::format("windows of {}", both(w.kernel)));
  if (w.stride != std::array{2, 2}) return not_built(fmt::format("a stride of {}", both(w.stride)));
  if (w.dilation != std::array{1, 1})
    return not_built(fmt::format("a dilation of {}", both(w.dilation)));
  for (const std::size_t a : {0, 1})  // padding that no window reads does not count
    if (w.before[a] != 0 || in.shape[a + 1] < size ||
        out.shape[a + 1] != (in.shape[a + 1] - size) / 2 + 1)
      return not_built("windows with padding");
  if (!request.max_pool.value_or(true))
    return {std::nullopt, "the array has no hardware for it: \"max_pool\" is false"};
  if (request.rows < size || request.columns < size)
    return {std::nullopt, fmt::format("windows of {}: the array is {} x {}", both(w.kernel),
                                      request.rows, request.columns)};
  return {PoolRequest{PoolKind::max, size}, ""};
}

}  // namespace kumiki::gen::array
