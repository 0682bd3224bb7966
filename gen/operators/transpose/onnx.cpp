// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
static void transpose(Call& call) {
  const std::size_t rank = call.in(0).dims.size();
  std::vector<std::int64_t> backwards(rank);
  for (std::size_t i = 0; i < rank; ++i) backwards[i] = static_cast<std::int64_t>(rank - 1 - i);
  const auto given = call.integers("perm", backwards);
  auto sorted = given;
  std::ranges::sort(sorted);
  std::ranges::reverse(sorted);
  if (sorted != backwards)
    throw Stop{fmt::format("has perm = {}; it must have every axis from 0 to {} once",
                           to_string(given), static_cast<std::int64_t>(rank) - 1)};
  call.result(call.walk.transposed(call.in(0), {given.begin(), given.end()}, call.out()));
}

std::vector<Row> forms(std::type_identity<graph::Transpose>) {
  return {
      {{"Transpose", "transpose", "the images stay in front"}, transpose},
  };
}

}  // namespace kumiki::gen::onnx
