// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
static void global_average_pool(Call& call) {
  if (const Dims& dims = call.in(0).dims;
      dims.size() == 4 && averaged_reals(call, {dims[2], dims[3]}))
    return;
  const graph::TensorId in = call.numbers(0);
  require_map(call.in(0).dims);
  Pending mean = average_of(call, in, call.in(0).dims);
  const Dims made = mean.made;
  call.result({made, std::move(mean)});
}

namespace {

// The mean of all tokens, [images, tokens, channels], which onnxruntime adds one after the other.
bool averaged_tokens(Call& call) {
  const Value& value = call.in(0);
  auto axes = call.has(1) ? call.constant_integers(1) : call.integers("axes", {});
  for (auto& axis : axes) axis += axis < 0 ? 3 : 0;
  if (value.dims.size() != 3 || axes != Dims{1}) return false;
  const auto tokens = value.dims[1], channels = value.dims[2];
  Dims dims{1, channels};
  if (call.integer("keepdims", 1) != 0) dims.insert(dims.begin() + 1, 1);
  call.ignore("noop_with_empty_axes");
  if (const auto* pending = std::get_if<Pending>(&value.is)) {
    const auto* normal = std::get_if<NormalOf>(&pending->what);
    const bool is_bare =
        pending->chain.empty() && std::isinf(pending->low) && std::isinf(pending->high) &&
        (!pending->spread || (pending->spread->picks.empty() && !pending->spread->turn));
    if (normal == nullptr || !is_bare) return false;
    NormalOf with = *normal;
    with.op.averages = 1;
    with.op.integers = 0;
    call.result(
        {dims, Pending{.what = std::move(with), .made = {1, channels}, .node = call.label}});
    return true;
  }
  const auto map_of = [&](graph::TensorId id) {
    return call.walk.map_of_tokens(id, channels, call.label + "/map");
  };
  Pending mean{.what = {}, .made = {1, channels, 1, 1}, .node = call.label};
  if (call.walk.averages() == Averages::sums) {
    mean.what = AverageOf{.in = map_of(call.numbers(0)), .in_float32 = true};
  } else {
    auto reals = call.walk.reals_of(value, call.label + "/in");
    if (!reals) {
      const graph::TensorId in = call.numbers(0);
      reals = {in, table_of(call.walk.tensor(in))};
    }
    graph::AveragePool op{.reals = std::move(reals->values)};
    op.window.kernel = {1, static_cast<int>(tokens)};
    mean.what = MeanOf{map_of(reals->id), std::move(op)};
  }
  call.result({dims, std::move(mean)});
  return true;
}

}  // namespace

static void reduce_mean(Call& call) {
  if (averaged_tokens(call)) return;
  const Value& value = call.in(0);
  call.numbers(0);
  const auto rank = static_cast<std::int64_t>(value.dims.size());
  const bool is_line = rank == 3;
  const Value map = is_line ? call.walk.in_one_row(value, call.label + "/row") : value;
  const graph::TensorId in = call.numbers(map, 0);
  require_map(map.dims);
  auto axes = call.has(1) ? call.constant_integers(1) : call.integers("axes", {});
  for (auto& axis : axes) axis += axis < 0 ? rank : 0;
  std::ranges::sort(axes);
  if (axes != (is_line ? Dims{2} : Dims{2, 3}))
    throw Stop{fmt::format("averages along axes {}; they must be all behind the channels, {}",
                           to_string(axes), is_line ? "2" : "2 and 3")};
  const bool keeps = call.integer("keepdims", 1) != 0;
  call.ignore("noop_with_empty_axes");
  Pending mean = average_of(call, in, map.dims);
  auto& average = std::get<AverageOf>(mean.what);
  average.in_float32 = true;
  if (call.walk.batch() == 1) average.layout = layout_of_mean(call.walk.model(), call.node);
  Dims dims{1, mean.made[1]};
  if (keeps) dims.resize(value.dims.size(), 1);
  call.result({dims, std::move(mean)});
}

static void q_linear_global_average_pool(Call& call) {
  const auto in = call.integers(0, call.quantiser(1));
  require_map(call.in(0).dims);
  if (call.integer("channels_last", 0) != 0)
    throw Stop{"has channels_last = 1; it must be 0, as the quantiser writes it"};
  Pending mean = average_of(call, in, call.in(0).dims);
  const Dims dims = mean.made;
  finish_join(call, std::move(mean), dims, call.quantiser(3));
}

std::vector<Row> forms(std::type_identity<graph::GlobalAverage>) {
  return {
      {{"GlobalAveragePool", "global_average", "1 or 2 dimensions"}, on_maps<global_average_pool>},
      {{"com.microsoft.QLinearGlobalAveragePool", "global_average",
        "1 or 2 dimensions; channels_last 0"},
       on_maps<q_linear_global_average_pool>},
      {{"ReduceMean", "global_average",
        "over all axes behind the channels, or over tokens, [images, tokens, channels]"},
       reduce_mean},
  };
}

}  // namespace kumiki::gen::onnx
