// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/array.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/layers/array/lowering/lowerer.h"
#include "gen/layers/array/plan.h"
#include "gen/operators/thresholds/array.h"

namespace kumiki::gen::array {
namespace {

using graph::Conv;
using graph::Graph;
using graph::Node;
using graph::Window;

std::string ordinal(std::int64_t n) {
  return n == 1 ? "single" : n == 2 ? "second" : n == 3 ? "third" : fmt::format("{}th", n);
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

}  // namespace

NodeLayer layer_of(const Conv& conv, const graph::Tensor& in, const graph::Tensor& out,
                   int data_bits, int coefficient_bits) {
  NodeLayer result;
  NetworkLayer l;
  if (!set_numbers(result, l, in, out, data_bits)) return result;
  result.why = why_wraps(conv, in);
  if (!result.why.empty()) return result;
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

void to_array(Lowerer& l, std::size_t i, const Conv& conv) {
  if (with_steps(l, i)) return;
  const Node& node = l.graph().nodes[i];
  const graph::Tensor& out = l.graph().tensors[node.output];
  const graph::Tensor reached = as_reached(l.graph(), node, l.data_bits());
  NodeLayer found = layer_of(conv, l.graph().tensors[node.inputs[0]], reached, l.data_bits(),
                             l.coefficient_bits());
  if (found.layer && reached.format != out.format)
    found.why +=
        fmt::format("{}{} of {}: what is reached fits {} bits", found.why.empty() ? "" : "; ",
                    out.name, to_string(out.format), l.data_bits());
  l.add(i, std::move(found));
}

}  // namespace kumiki::gen::array
