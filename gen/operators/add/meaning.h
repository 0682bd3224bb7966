// SPDX-License-Identifier: Apache-2.0
// onnxruntime's QLinearAdd in float32: fma(a, ra, fma(b, rb, fixed)), rounded to the nearest, ties
// to even. ra is the scale of a over that of the result, rb that of b. fixed is the zero point of
// the result less fma(ra, za, rb * zb). The order matters: a + b and b + a differ for a few pairs.
// With a table, Add is any function of both: [number of a - lowest a][number of b - lowest b].
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Add {
  static constexpr std::string_view name = "add";
  static constexpr std::string_view left_to_host = "two maps are added";
  static constexpr std::size_t inputs = 2;
  std::vector<std::int16_t> table = {};
  friend bool operator==(const Add&, const Add&) = default;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.list("values", self.table);
  }
};

void check(const Add& op, NodeCheck& node);
Compute computer(const Add& op, const Ends& ends);
// The same without vector instructions.
Compute plain_computer(const Add& op, const Ends& ends);

// The result for two numbers, without a table.
std::int32_t added(const Tensor& a, const Tensor& b, const Tensor& out, std::int32_t qa,
                   std::int32_t qb);

// Whether an Add without a table supports the ratio of the scales: a normal number for which the
// sum of two bytes stays within 32 bits. "from 2^-126 to 2^20".
bool is_ratio_of_add(const Tensor& in, const Tensor& out);
inline constexpr std::string_view ratios_of_add = "from 2^-126 to 2^20";

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Add)
KUMIKI_SLICES_BEHIND(Add)
KUMIKI_ON_ENGINE(Add)
KUMIKI_FROM_ONNX(Add)
