// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample. Of those with mode nearest, the import computes by ONNX' definition which
// number each place has and compares, so it accepts everything that amounts to a repetition.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"
#include "gen/operators/interpolate/onnx.h"

namespace kumiki::gen::onnx {
namespace {

// The position of a result's place on an axis that was resized by a whole factor.
double original(const std::string& mode, std::int64_t place, std::int64_t from, std::int64_t to) {
  const double x = static_cast<double>(place);
  const double scale = static_cast<double>(to) / static_cast<double>(from);
  if (mode == "asymmetric") return x / scale;
  if (mode == "align_corners")
    return to == 1 ? 0 : x * static_cast<double>(from - 1) / static_cast<double>(to - 1);
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  if (mode == "pytorch_half_pixel" && to == 1) return 0;
  if (mode == "half_pixel" || mode == "pytorch_half_pixel" || mode == "half_pixel_symmetric")
    return (x + 0.5) / scale - 0.5;
  throw Stop{
      fmt::format("has coordinate_transformation_mode = {}, which is not supported; use "
                  "asymmetric or half_pixel",
                  mode)};
}

double nearest(const std::string& mode, double x) {
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  if (mode == "round_prefer_floor") return std::ceil(x - 0.5);
  if (mode == "round_prefer_ceil") return std::floor(x + 0.5);
  throw Stop{
      fmt::format("has nearest_mode = {}; it must be round_prefer_floor, round_prefer_ceil, "
                  "floor or ceil",
                  mode)};
}

// The size of each axis of the result, and the scales: from scales (input i) or sizes (the next
// input).
struct Sizes {
  Dims to;
  std::vector<float> scales;
};
Sizes sizes_of(Call& call, std::size_t i, const Dims& from) {
  Dims to;
  if (call.has(i) && call.in(i).dims != Dims{0}) {
    const auto scales = call.constant_reals(i);
    for (std::size_t d = 0; d < scales.size() && d < from.size(); ++d)
      to.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(from[d]) * scales[d])));
    if (scales.size() == from.size()) return {to, scales};
  } else if (call.has(i + 1)) {
    to = call.constant_integers(i + 1);
    // The number of images, if the file gives it.
    if (!to.empty() && to[0] == call.walk.batch()) to[0] = 1;
    std::vector<float> scales;
    for (std::size_t d = 0; d < to.size() && d < from.size(); ++d)
      scales.push_back(static_cast<float>(to[d]) / static_cast<float>(from[d]));
    if (to.size() == from.size()) return {to, scales};
  }
  throw Stop{fmt::format("needs constant scales or sizes, one for each of {} axes", from.size())};
}

void repeated(Call& call, std::size_t scales, const std::string& coordinates,
              const std::string& rounding) {
  const Value& value = call.in(0);
  require_map(value.dims);
  const auto mode = call.text("mode", "nearest");
  if (mode != "nearest" && mode != "linear")
    throw Stop{fmt::format("has mode = {}; it must be nearest or linear", mode)};
  for (const char* unused : {"cubic_coeff_a", "exclude_outside", "extrapolation_value"})
    call.ignore(unused);
  if (call.integer("antialias", 0) != 0) throw Stop{"has antialias = 1; it must be 0"};
  if (call.attribute("axes") != nullptr)
    throw Stop{"names axes; give scales or sizes for all axes instead"};
  if (call.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    throw Stop{"has a keep_aspect_ratio_policy; it must be stretch"};
  const auto [to, factors] = sizes_of(call, scales, value.dims);
  if (mode == "linear") return interpolated(call, to, {factors[2], factors[3]}, coordinates);
  graph::Resize op;
  for (const std::size_t d : {0, 1, 2, 3}) {
    const std::int64_t from = value.dims[d];
    const std::int64_t most = d < 2 ? 1 : graph::Resize::largest_factor;
    if (to[d] % from != 0 || to[d] / from < 1 || to[d] / from > most)
      throw Stop{
          fmt::format("makes {} of {}; rows and columns must become 1 to {} times as many, "
                      "and nothing else may change",
                      to_string(to), to_string(value.dims), graph::Resize::largest_factor)};
    const std::int64_t factor = to[d] / from;
    if (d >= 2) op.factor[d - 2] = static_cast<int>(factor);
    for (std::int64_t i = 0; i < to[d]; ++i) {
      const double x = nearest(rounding, original(coordinates, i, from, to[d]));
      const auto last = static_cast<double>(from - 1);
      const std::int64_t repeated = i / factor;
      if (std::clamp(x, 0.0, last) != static_cast<double>(repeated))
        throw Stop{fmt::format(
            "picks other numbers than each {} times, by coordinate_transformation_mode = {} and "
            "nearest_mode = {}; export it with asymmetric and floor",
            factor, coordinates, rounding)};
    }
  }
  if (!std::holds_alternative<Integers>(value.is) && !std::holds_alternative<Real>(value.is))
    call.numbers(0);  // says why not
  call.result(call.walk.moved(value, op, to, call.label, call.out()));
}

void resize(Call& call) {
  // Until opset 10 Resize has no region of interest and cannot choose the neighbour.
  const bool is_old = call.count() == 2;
  repeated(call, is_old ? 1 : 2,
           call.text("coordinate_transformation_mode", is_old ? "asymmetric" : "half_pixel"),
           call.text("nearest_mode", is_old ? "floor" : "round_prefer_floor"));
}

void upsample(Call& call) { repeated(call, 1, "asymmetric", "floor"); }

}  // namespace

std::vector<Row> forms(std::type_identity<graph::Resize>) {
  return {
      {{"Resize", "resize, interpolate", "mode nearest: by whole factors up to 1024; mode linear"},
       resize},
      {{"Upsample", "resize, interpolate", "as Resize"}, upsample},
  };
}

}  // namespace kumiki::gen::onnx
