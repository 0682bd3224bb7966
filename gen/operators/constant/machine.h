// SPDX-License-Identifier: Apache-2.0
// A constant beside a stream: for each beat of the stream the numbers of the constant at its place.
// What the stream brings does not matter, only when; or some channels pass, and the others are the
// constant.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/pipeline/lowering.h"
#include "gen/layers/pipeline/machines/stages.h"

namespace kumiki::gen::pipeline {

struct ConstantPlan {
  Stream stream;                     // beside which it comes
  arith::Format format;              // of the constant
  std::vector<std::int16_t> values;  // [channel][row][column]
  std::vector<bool> passing = {};    // channels of the stream, of one format then; empty: none
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return stream.with(format); }
  Moving schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "constant"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ConstantPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const ConstantPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const ConstantPlan& plan, std::int64_t k, const Taken& in);

// The constant that a tensor is; null: it is none.
const graph::Constant* constant_of(const graph::Graph& graph, graph::TensorId id);
// In the lanes of another stream of its shape.
Source constant_beside(Lowering& l, graph::TensorId id, const Source& other);

}  // namespace kumiki::gen::pipeline
