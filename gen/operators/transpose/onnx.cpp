// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
static void transpose(Call& call) {
  const std::size_t rank = call.any(0).dims.size();
  std::vector<std::int64_t> backwards(rank);
  for (std::size_t i = 0; i < rank; ++i) backwards[i] = static_cast<std::int64_t>(rank - 1 - i);
  const auto given = call.integers("perm", backwards);
  auto sorted = given;
  std::ranges::sort(sorted);
  std::ranges::reverse(sorted);
  if (sorted != backwards)
    throw Stop{fmt::format("has perm = {}; it must have every axis from 0 to {} once",
                           to_string(given), static_cast<std::int64_t>(rank) - 1)};
  call.result(call.walk.transposed(call.any(0), {given.begin(), given.end()}, call.out()));
}

// Seen as an array of these axes behind that of the images, and these in that order.
static void arranged(Call& call, const Dims& axes, const std::vector<int>& order,
                     const Dims& dims) {
  Dims seen = axes;
  seen.insert(seen.begin(), 1);
  std::vector<int> behind{0};
  for (const int axis : order) behind.push_back(axis + 1);
  const Value parts = call.walk.reshaped(call.any(0), seen, call.out() + "/parts");
  const Value moved = call.walk.transposed(parts, behind, call.out());
  call.result(call.walk.reshaped(moved, dims, call.out()));
}

static std::int64_t block_of(Call& call) {
  const auto block = call.integer("blocksize", 0);
  if (block < 1 || block > 1 << 10)
    throw Stop{fmt::format("has blocksize = {}; it must be 1 to 1024", block)};
  return block;
}

static void depth_to_space(Call& call) {
  const Dims& from = call.in(0).dims;
  require_map(from);
  const auto b = block_of(call);
  const auto mode = call.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    throw Stop{fmt::format("has mode = {}; it must be DCR or CRD", mode)};
  if (from[1] % (b * b) != 0)
    throw Stop{fmt::format("makes blocks of {} x {} of {} channels; they must be a multiple of {}",
                           b, b, from[1], b * b)};
  const auto channels = from[1] / (b * b);
  const Dims dims{1, channels, from[2] * b, from[3] * b};
  if (mode == "DCR")
    arranged(call, {b, b, channels, from[2], from[3]}, {2, 3, 0, 4, 1}, dims);
  else
    arranged(call, {channels, b, b, from[2], from[3]}, {0, 3, 1, 4, 2}, dims);
}

static void space_to_depth(Call& call) {
  const Dims& from = call.in(0).dims;
  require_map(from);
  const auto b = block_of(call);
  if (from[2] % b != 0 || from[3] % b != 0)
    throw Stop{
        fmt::format("makes channels of blocks of {} x {} of {}; rows and columns must be a "
                    "multiple of {}",
                    b, b, to_string(from), b)};
  arranged(call, {from[1], from[2] / b, b, from[3] / b, b}, {2, 4, 0, 1, 3},
           {1, from[1] * b * b, from[2] / b, from[3] / b});
}

std::vector<Row> forms(std::type_identity<graph::Transpose>) {
  return {
      {{"Transpose", "transpose", "any axes; those of several images stay in front"}, transpose},
      {{"DepthToSpace", "transpose", "modes DCR and CRD"}, depth_to_space},
      {{"SpaceToDepth", "transpose", ""}, space_to_depth},
  };
}

}  // namespace kumiki::gen::onnx
