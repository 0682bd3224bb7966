// SPDX-License-Identifier: Apache-2.0
// The product of two maps in a pipeline. Both maps wait in memories and come again and again
// (`repeated_first`, `repeated_second`): a run of beats for each sum, or for as many sums as there
// are lanes. This machine multiplies them beat by beat. Machines behind it add the products of a
// run and make numbers of the sums.
//
// If the terms are channels of the second map, the products of all lanes are added: one sum. If
// they are its pixels, a beat has one number of the first map and, in the lanes, numbers of
// several output channels.
#pragma once
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/reorder.h"
#include "gen/layers/pipeline/machines/stages.h"
#include "gen/operators/mul/machine.h"

namespace kumiki::gen::pipeline {

struct MatMulRuns {
  std::int64_t pixels = 1, groups = 1;
  std::int64_t runs = 1;   // of a pixel and group
  std::int64_t beats = 1;  // of a run
  std::int64_t clocks() const { return pixels * groups * runs * beats; }
};
// With so many lanes, which divide the terms or, by pixels, the output channels.
MatMulRuns runs_of(const graph::MatMul& op, const graph::MatMulSizes& sizes, std::int64_t lanes);

// The first map, a pixel of it for each run of the pixel; the second one, all of it for each pixel
// of the first one.
ReorderPlan repeated_first(const Stream& map, const MatMulRuns& runs);
ReorderPlan repeated_second(const graph::MatMul& op, const Stream& map, const MatMulRuns& runs);

struct MatMulPlan {
  Stream a, b;  // repeated; a has one lane if the lanes are sums of their own
  Factors factors;
  bool adds_lanes() const { return a.lanes > 1 || b.lanes == 1; }
  std::vector<Stream> inputs() const { return {a, b}; }
  Stream output() const;
  Moving schedule() const;
  std::int64_t slices() const { return b.lanes; }
  int levels() const;
  std::string kind() const { return "matmul"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const MatMulPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const MatMulPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const MatMulPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
