// SPDX-License-Identifier: Apache-2.0
// Whole pipelines, and what they cost on the chip: LUTs and memories are not known before the
// netlist is there, so it is built and counted.
#pragma once
#include <string>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/layers/pipeline/request.h"
#include "ir/primitive.h"

namespace kumiki::gen::pipeline {

struct Priced {
  PipelinePlan plan;
  ir::Cost cost;
  std::uint32_t luts() const { return cost.luts + cost.lut_rams; }  // sites, memories as well
};

// With queues. With a budget of LUTs or memories the fastest pipeline of the front (folding.h)
// whose netlist fits and keeps the limit of cells. Refusal: what folded() refuses, and a budget
// that no pipeline of the front keeps. LimitError: no netlist of the front keeps the limit.
PipelinePlan planned(const Request& request, const packing::Limits& limits, ir::Family family);

struct TooLarge {
  std::size_t count = 0;
  std::string why;  // as the last of them was refused
};

struct PricedFront {
  std::vector<Priced> points;  // the fastest first
  TooLarge left_out;           // netlists beyond the limits of the request's context
};

// The pipelines of the front of the request's graph; its budgets do not count. LimitError as above.
PricedFront priced_front(const Request& request, const packing::Limits& limits, ir::Family family);

}  // namespace kumiki::gen::pipeline
