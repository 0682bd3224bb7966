// SPDX-License-Identifier: Apache-2.0
// The axis of the images stays in front; only the shape behind it changes.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

std::int64_t count_of(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

// Throws if the axis of several images would move: another axis comes in front of it, or it merges
// with one.
void require_one_image(Call& call) {
  if (call.walk.batch() != 1 && has_images(call.any(0)))
    throw Stop{fmt::format(
        "moves the axis of the images, which are {}; keep it in front, or use a model of one image",
        call.walk.batch())};
}

void give(Call& call, const Dims& dims) {
  call.result(call.walk.reshaped(call.any(0), dims, call.out()));
}

}  // namespace

static void reshape(Call& call) {
  const Dims& from = call.any(0).dims;
  const auto wanted = call.constant_integers(1);
  const bool zeros = call.integer("allowzero", 0) != 0;
  Dims dims;
  std::int64_t rest = count_of(from), open = -1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::int64_t d = wanted[i];
    if (d == 0 && !zeros && i < from.size()) d = from[i];
    // The number of images, if the file gives it.
    if (i == 0 && has_images(call.any(0))) {
      if (wanted[0] == 1) require_one_image(call);
      if (d == call.walk.batch()) d = 1;
    }
    if (d == -1 && open < 0) {
      open = static_cast<std::int64_t>(i);
    } else if (d < 1 || rest % d != 0) {
      throw Stop{fmt::format("makes {} of {}; it must make as many numbers as it reads",
                             to_string(wanted), to_string(from))};
    } else {
      rest /= d;
    }
    dims.push_back(d);
  }
  if (open >= 0) dims[static_cast<std::size_t>(open)] = rest;
  if (count_of(dims) != count_of(from))
    throw Stop{fmt::format("makes {} of {}; it must make as many numbers as it reads",
                           to_string(wanted), to_string(from))};
  give(call, dims);
}

static void flatten(Call& call) {
  const Dims& from = call.any(0).dims;
  auto axis = call.integer("axis", 1);
  if (axis < 0) axis += static_cast<std::int64_t>(from.size());
  if (axis < 0 || axis > static_cast<std::int64_t>(from.size()))
    throw Stop{fmt::format("has the axis {} of {}", axis, to_string(from))};
  if (axis == 0) require_one_image(call);
  const Dims front(from.begin(), from.begin() + axis), back(from.begin() + axis, from.end());
  give(call, {count_of(front), count_of(back)});
}

static void squeeze(Call& call) {
  const Dims& from = call.any(0).dims;
  const auto axes = axes_of(call, from.size());
  if (axes.empty()) throw Stop{"names no axes, so it would take that of the images: name them"};
  if (axes[0] == 0) require_one_image(call);
  Dims dims;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool goes = std::ranges::find(axes, static_cast<std::int64_t>(i)) != axes.end();
    if (goes && from[i] != 1)
      throw Stop{fmt::format("takes axis {} of {} away; the axis must be 1", i, to_string(from))};
    if (!goes) dims.push_back(from[i]);
  }
  give(call, dims);
}

static void unsqueeze(Call& call) {
  const Dims& from = call.any(0).dims;
  const auto given =
      call.has(1) ? call.constant_integers(1).size() : call.integers("axes", {}).size();
  const auto axes = axes_of(call, from.size() + given);
  if (!axes.empty() && axes[0] == 0) require_one_image(call);
  Dims dims = from;
  for (const auto axis : axes) dims.insert(dims.begin() + axis, 1);
  give(call, dims);
}

std::vector<Row> forms(std::type_identity<graph::Reshape>) {
  return {
      {{"Reshape", "reshape", "the images stay in front; up to 3 axes behind them"}, reshape},
      {{"Flatten", "reshape", "the images stay in front"}, flatten},
      {{"Squeeze", "reshape", "the images stay in front; axes named"}, squeeze},
      {{"Unsqueeze", "reshape", "the images stay in front; up to 3 axes behind them"}, unsqueeze},
  };
}

}  // namespace kumiki::gen::onnx
