// SPDX-License-Identifier: Apache-2.0
// A map of another size, every number between four of the map, in onnxruntime's float32. Rows lie
// between two rows of the map, columns between two columns. The four products of a number and two
// parts are added in the order upper left, upper right, lower left, lower right.
//
// Reals are scale * (number - zero point), and the sum is quantised as QuantizeLinear does it. A
// resize of the numbers themselves, as files in QOperator form have it, truncates the sum.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Interpolate {
  static constexpr std::string_view name = "interpolate";
  static constexpr std::string_view left_to_host = "numbers between others, as float32 rounds them";
  // Place i of the result lies between place from[i] of the map and the next one, which has the
  // weight part[i]. Behind the last place comes the last place again.
  std::vector<std::int32_t> rows, columns;
  std::vector<float> row_parts, column_parts;
  int truncates = 0;  // 1: of numbers, not of reals
  friend bool operator==(const Interpolate&, const Interpolate&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.number("truncates", self.truncates, 0);
    f.list("rows", self.rows);
    f.list("row_parts", self.row_parts);
    f.list("columns", self.columns);
    f.list("column_parts", self.column_parts);
  }
};

void check(const Interpolate& op, NodeCheck& node);
Compute computer(const Interpolate& op, const Ends& ends);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Interpolate)
KUMIKI_SLICES_BEHIND(Interpolate)
KUMIKI_FROM_ONNX(Interpolate)
