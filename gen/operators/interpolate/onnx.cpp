// SPDX-License-Identifier: Apache-2.0
// Coordinates are computed in float32, in the order of onnxruntime's kernel.
#include "gen/operators/interpolate/onnx.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

float original(const std::string& mode, std::int64_t place, std::int64_t from, std::int64_t to,
               float scale) {
  const auto x = static_cast<float>(place);
  if (scale == 1) return x;
  if (mode == "asymmetric") return x / scale;
  if (mode == "align_corners")
    return to == 1 ? 0 : x * static_cast<float>(from - 1) / static_cast<float>(to - 1);
  if (mode == "pytorch_half_pixel" && to == 1) return 0;
  if (mode == "half_pixel" || mode == "pytorch_half_pixel") return (x + 0.5F) / scale - 0.5F;
  throw Stop{
      fmt::format("has coordinate_transformation_mode = {} with mode = linear; it must be "
                  "half_pixel, pytorch_half_pixel, align_corners or asymmetric",
                  mode)};
}

struct Axis {
  std::vector<std::int32_t> from;
  std::vector<float> parts;
  // Sums of so many parts are exact, in float32 as in integers.
  bool is_exact() const {
    return std::ranges::all_of(parts,
                               [](float part) { return part * 128 == std::floor(part * 128); });
  }
};

Axis axis_of(const std::string& mode, std::int64_t from, std::int64_t to, float scale) {
  Axis axis;
  const auto last = static_cast<float>(from - 1);
  for (std::int64_t place = 0; place < to; ++place) {
    const float x = std::clamp(original(mode, place, from, to, scale), 0.0F, last);
    axis.from.push_back(static_cast<std::int32_t>(x));
    // Both neighbours of the last place are itself: halves of it.
    axis.parts.push_back(axis.from.back() == from - 1 ? 0.5F : x - std::floor(x));
  }
  return axis;
}

}  // namespace

void interpolated(Call& call, const Dims& to, std::array<float, 2> scales,
                  const std::string& coordinates) {
  const Value& value = call.in(0);
  if (to[0] != value.dims[0] || to[1] != value.dims[1])
    throw Stop{fmt::format("makes {} of {}; only rows and columns may change", to_string(to),
                           to_string(value.dims))};
  graph::Shape shape = shape_of(to);
  Axis rows = axis_of(coordinates, value.dims[2], to[2], scales[0]);
  Axis columns = axis_of(coordinates, value.dims[3], to[3], scales[1]);
  const bool is_exact = rows.is_exact() && columns.is_exact();
  graph::Interpolate op{.rows = std::move(rows.from),
                        .columns = std::move(columns.from),
                        .row_parts = std::move(rows.parts),
                        .column_parts = std::move(columns.parts)};
  if (const auto* integers = std::get_if<Integers>(&value.is)) {
    op.truncates = 1;
    if (!is_exact)
      call.walk.note(
          fmt::format("node {}: onnxruntime resizes integers in float32 or in steps of 1/1024, "
                      "whichever its layout of the map has: a result may differ by one; put Resize "
                      "between a DequantizeLinear and a QuantizeLinear",
                      call.label));
    const auto made = call.walk.add_tensor(call.out(), std::move(shape),
                                           quantiser_of(call.walk.tensor(integers->id)));
    call.walk.follows(made, integers->id);
    return call.result(
        {to, Integers{call.walk.add_node(call.label, std::move(op), {integers->id}, made)}});
  }
  call.result(
      {to,
       Pending{.what = BetweenOf{call.numbers(0), std::move(op)}, .made = to, .node = call.label}});
}

// Resize is read in gen/operators/resize: its mode decides.
std::vector<Row> forms(std::type_identity<graph::Interpolate>) { return {}; }

}  // namespace kumiki::gen::onnx
