// SPDX-License-Identifier: Apache-2.0
// The index of the largest number of a vector, the first of equal ones.
#pragma once
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

struct ArgMax {
  static constexpr std::string_view name = "arg_max";
  static constexpr std::string_view left_to_host = "the index of the largest number";
  friend bool operator==(const ArgMax&, const ArgMax&) = default;
};

void check(const ArgMax& op, NodeCheck& node);
Compute computer(const ArgMax& op, const Ends& ends);

}  // namespace kumiki::gen::graph

namespace kumiki::gen::pipeline {

class Behind;
class Lowering;
struct Source;
Source machines(Lowering& lowering, std::size_t node, const graph::ArgMax& op);
std::int64_t slices_behind(const Behind& behind, std::size_t node, std::size_t read,
                           std::int64_t lanes, const graph::ArgMax& op);

}  // namespace kumiki::gen::pipeline

namespace kumiki::gen::onnx {

struct Row;
std::vector<Row> forms(std::type_identity<graph::ArgMax>);

}  // namespace kumiki::gen::onnx
