// SPDX-License-Identifier: Apache-2.0
// Whole pipelines and their cost on the chip. LUTs and memories are only known from the netlist, so
// it is built and counted.
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
  std::uint32_t luts() const { return cost.luts + cost.lut_rams; }  // sites, including memories
};

// A plan with queues. With a budget of LUTs or memories it is the fastest pipeline of the front
// (folding.h) that fits; its netlist must also stay within the limit of cells. Refusal: folded()
// refuses, or no pipeline of the front fits the budget. LimitError: no netlist of the front stays
// within the limit.
PipelinePlan planned(const Request& request, const packing::Limits& limits, ir::Family family);

struct TooLarge {
  std::size_t count = 0;
  std::string why;  // the refusal of the last one
};

struct PricedFront {
  std::vector<Priced> points;  // the fastest first
  TooLarge left_out;           // netlists beyond the request's limits
};

// The front of the request's graph; ignores its budgets. LimitError as above.
PricedFront priced_front(const Request& request, const packing::Limits& limits, ir::Family family);

}  // namespace kumiki::gen::pipeline
