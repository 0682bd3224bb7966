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

// The mean of a function's values.
static void mean_of_reals(Call& call, const Real& real) {
  const Value& value = call.in(0);
  require_map(value.dims);
  if (real.approximate)
    throw Stop{
        "averages a function whose last bits are not known; put a quantiser between the function "
        "and the mean"};
  call.integer("count_include_pad", 0);
  Dims made = value.dims;
  graph::AveragePool op{window_of(call, call.integers("kernel_shape", {}), value, made),
                        real.table};
  if (op.window.before != std::array{0, 0} || op.window.after != std::array{0, 0})
    throw Stop{"averages a padded map of a function's values; put a quantiser before it"};
  call.result(
      {made, Pending{.what = MeanOf{real.id, std::move(op)}, .made = made, .node = call.label}});
}

static void average_pool(Call& call) {
  const Value& value = call.padded(0);
  if (const auto* real = std::get_if<Real>(&value.is); real != nullptr && !real->table.empty())
    return mean_of_reals(call, *real);
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
