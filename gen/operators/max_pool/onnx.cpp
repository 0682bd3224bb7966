// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"
#include "gen/onnx/operators/window.h"

namespace kumiki::gen::onnx {
namespace {

// If no number is less than 0, zeros of a Pad act as padding of the pool itself: they never exceed
// a number, and no window holds only zeros.
bool takes_pads(Call& call) {
  const Value& value = call.padded(0);
  const auto kernel = call.integers("kernel_shape", {});
  const auto* integers = std::get_if<Integers>(&value.is);
  const auto* real = std::get_if<Real>(&value.is);
  if (integers == nullptr && real == nullptr) return false;
  const graph::Tensor& in = call.walk.tensor(integers != nullptr ? integers->id : real->id);
  const auto given = call.integers("pads", {0, 0, 0, 0});
  for (const std::size_t a : {0, 1, 2, 3})
    if (kernel.size() != 2 || given.size() != 4 || value.pads[a] + given[a] >= kernel[a % 2])
      return false;
  return in.format.range().lo == in.zero_point && call.text("auto_pad", "NOTSET") == "NOTSET" &&
         call.integer("ceil_mode", 0) == 0;
}

}  // namespace

// The maximum of each window of `kernel`, with the attributes of the node for the rest.
static void pooled(Call& call, const Value& value, const std::vector<std::int64_t>& kernel) {
  require_map(value.dims);
  Value result{value.dims, value.is};
  const graph::MaxPool pool{window_of(call, kernel, value, result.dims)};
  if (auto* input = std::get_if<FloatInput>(&result.is)) {
    input->steps.emplace_back(pool);
    return call.result(std::move(result));
  }
  // Functions that rise may follow the maximum.
  if (const auto* pending = std::get_if<Pending>(&value.is))
    if (const auto* numbers = std::get_if<NumbersOf>(&pending->what);
        numbers != nullptr && rises(pending->chain) && value.dims == pending->made) {
      Pending later = *pending;
      const Value largest = call.walk.moved({value.dims, Real{numbers->id}}, pool, result.dims,
                                            call.label, call.label + "/largest");
      later.what = NumbersOf{std::get<Real>(largest.is).id, numbers->reals};
      later.made = result.dims;
      return call.result({result.dims, std::move(later)});
    }
  // If a table rises, the largest number stands for the largest value.
  if (const auto reals = call.walk.reals_of(value, call.label + "/in");
      reals && !rises(reals->values, call.walk.tensor(reals->id)))
    return pooled(call, call.walk.ranked(value, *reals, call.label + "/ranks"), kernel);
  if (!std::holds_alternative<Integers>(value.is) && !std::holds_alternative<Real>(value.is))
    call.numbers(0);
  call.result(call.walk.moved(value, pool, result.dims, call.label, call.out()));
}

static void max_pool(Call& call) {
  const Value& value = takes_pads(call) ? call.padded(0) : call.in(0);
  if (call.integer("storage_order", 0) != 0) throw Stop{"has storage_order = 1; it must be 0"};
  pooled(call, value, call.integers("kernel_shape", {}));
}

static void global_max_pool(Call& call) {
  const Value& value = call.in(0);
  require_map(value.dims);
  pooled(call, value, {value.dims[2], value.dims[3]});
}

// The maximum along some axes, which become the columns of a map.
static void reduce_max(Call& call) {
  const Value& value = call.any(0);
  const auto rank = std::ssize(value.dims);
  const auto axes = axes_of(call, value.dims.size());
  const bool keeps = call.integer("keepdims", 1) != 0;
  call.ignore("noop_with_empty_axes");
  std::vector<int> kept{}, reduced{};
  Dims dims;
  std::int64_t pixels = 1, columns = 1;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const bool goes = std::ranges::find(axes, axis) != axes.end();
    const auto size = value.dims[static_cast<std::size_t>(axis)];
    (goes ? columns : pixels) *= size;
    (goes ? reduced : kept).push_back(static_cast<int>(axis));
    if (!goes || keeps) dims.push_back(goes ? 1 : size);
  }
  if (axes.empty() || kept.empty() || kept[0] != 0)
    throw Stop{fmt::format("has the axes {} of {}; they must be named, and behind the images",
                           to_string(axes), to_string(value.dims))};
  // A map stays one if its columns, or lines and columns, go.
  const bool stays = rank == 4 && reduced.size() < 3 && kept.back() < reduced.front();
  const Dims seen = stays ? value.dims : Dims{1, pixels, 1, columns};
  std::vector<int> order = kept;
  order.insert(order.end(), reduced.begin(), reduced.end());
  const Value turned = call.walk.transposed(value, order, call.label + "/turned");
  pooled(call, call.walk.reshaped(turned, seen, call.label + "/seen"),
         {stays && reduced.size() == 1 ? 1 : seen[2], seen[3]});
  call.result(call.walk.reshaped(call.made(), dims, call.out()));
}

std::vector<Row> forms(std::type_identity<graph::MaxPool>) {
  return {
      {{"MaxPool", "max_pool", "1 or 2 dimensions; strides, dilations, pads, ceil_mode"},
       on_maps<max_pool>},
      {{"GlobalMaxPool", "max_pool", "1 or 2 dimensions"}, on_maps<global_max_pool>},
      {{"ReduceMax", "max_pool", "along any axes but that of the images"}, reduce_max},
  };
}

}  // namespace kumiki::gen::onnx
