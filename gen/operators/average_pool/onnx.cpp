// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"
#include "gen/onnx/operators/window.h"

namespace kumiki::gen::onnx {
namespace {

// A window as large as the map is a global average; smaller windows become sums of their own.
Pending windows_of(Call& call, graph::TensorId in, const Value& value) {
  require_map(value.dims);
  const auto kernel = call.integers("kernel_shape", {});
  Dims made = value.dims;
  const bool counts_pads = call.integer("count_include_pad", 0) != 0;
  const bool ceil = call.integer("ceil_mode", 0) != 0;
  const auto window = window_of(call, kernel, value, made);
  // Zeros that Pad inserted count as numbers.
  const bool pads = window.before != std::array{value.pads[0], value.pads[1]} ||
                    window.after != std::array{value.pads[2], value.pads[3]};
  if (value.pads == Pads{} && kernel == Dims{value.dims[2], value.dims[3]} && made[2] == 1 &&
      made[3] == 1 && !pads)
    return average_of(call, in, made);
  if (pads && (!counts_pads || ceil))
    throw Stop{
        "averages windows of different counts of numbers at its edges; use no padding, or "
        "count_include_pad = 1 without ceil_mode"};
  SumOf mean = mean_of(in, value.dims[1], window);
  mean.is_window = value.pads == Pads{} && window.dilation == std::array{1, 1};
  return {.what = std::move(mean), .made = made, .node = call.label};
}

}  // namespace

namespace {

// Which of its kernels onnxruntime takes. The newer operators have one of their own.
int order_of(const Call& call, const graph::Window& w, const Dims& map) {
  using Op = graph::AveragePool;
  const bool is_global = call.node.op == "GlobalAveragePool";
  if (!is_global && call.walk.model().opset("") >= 19) return Op::by_rows;
  if (w.stride == std::array{1, 1} && Dims{w.kernel[0], w.kernel[1]} == Dims{map[2], map[3]})
    return Op::by_fours;
  constexpr int largest_kernel = 32, largest_stride = 2, most_columns = 2045;
  const bool is_small = w.kernel[0] <= largest_kernel && w.kernel[1] <= largest_kernel &&
                        w.stride[1] <= largest_stride && map[3] <= most_columns;
  return is_small ? Op::by_columns : Op::by_rows;
}

}  // namespace

bool averaged_reals(Call& call, const std::vector<std::int64_t>& kernel) {
  const Value& value = call.padded(0);
  if (value.pads != Pads{}) return false;
  auto reals = call.walk.reals_of(value, call.label + "/in");
  if (!reals) return false;
  require_map(value.dims);
  if (const auto* real = std::get_if<Real>(&value.is); real != nullptr && real->approximate)
    throw Stop{
        "averages a function whose last bits are not known; put a quantiser between the function "
        "and the mean"};
  call.integer("count_include_pad", 0);
  Dims made = value.dims;
  graph::AveragePool op{.window = window_of(call, kernel, value, made)};
  if (op.window.before != std::array{0, 0} || op.window.after != std::array{0, 0})
    throw Stop{"averages a padded map of a function's values; put a quantiser before it"};
  op.order = order_of(call, op.window, value.dims);
  op.reals = std::move(reals->values);
  call.result(
      {made, Pending{.what = MeanOf{reals->id, std::move(op)}, .made = made, .node = call.label}});
  return true;
}

static void average_pool(Call& call) {
  if (averaged_reals(call, call.integers("kernel_shape", {}))) return;
  const Value& value = call.padded(0);
  Pending mean = windows_of(call, call.numbers(value, 0), value);
  const Dims made = mean.made;
  call.result({made, std::move(mean)});
}

static void q_linear_average_pool(Call& call) {
  if (call.integer("channels_last", 0) != 0)
    throw Stop{"has channels_last = 1; it must be 0, as the quantiser writes it"};
  Pending mean = windows_of(call, call.integers(0, call.quantiser(1)), call.in(0));
  const Dims made = mean.made;
  finish_join(call, std::move(mean), made, call.quantiser(3));
}

std::vector<Row> forms(std::type_identity<graph::AveragePool>) {
  return {
      {{"AveragePool", "conv, global_average, average_pool",
        "1 or 2 dimensions; strides; pads with count_include_pad = 1 alone"},
       on_maps<average_pool>},
      {{"com.microsoft.QLinearAveragePool", "conv, global_average, average_pool",
        "as AveragePool; channels_last 0"},
       on_maps<q_linear_average_pool>},
  };
}

}  // namespace kumiki::gen::onnx
