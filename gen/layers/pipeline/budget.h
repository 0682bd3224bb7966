// SPDX-License-Identifier: Apache-2.0
// Whole pipelines, and what they cost on the chip: LUTs and memories are not known before the
// netlist is there, so it is built and counted.
#pragma once
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
// whose netlist fits. Refusal: what folded() refuses, and a budget that no pipeline of the front
// keeps.
PipelinePlan planned(const Request& request, const packing::Limits& limits, ir::Family family);

// Every pipeline of the front of the request's graph, the fastest first; its budgets do not count.
std::vector<Priced> priced_front(const Request& request, const packing::Limits& limits,
                                 ir::Family family);

}  // namespace kumiki::gen::pipeline
