// SPDX-License-Identifier: Apache-2.0
// Whole pipelines and their cost on the chip. LUTs and memories are only known from the netlist, so
// it is built and counted.
#pragma once
#include <functional>
#include <optional>
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

// The fastest pipeline that fits, and its pace. It is found by halving the front: a slower pipeline
// is taken to need no more.
struct Fitted {
  std::optional<Priced> found = {};  // empty: not even the slowest one fits
  std::int64_t clocks = 0;
  std::int64_t slowest = 0;  // pace
  ir::Cost cost = {};        // of the slowest
  bool lacks_bytes = false;  // its weights take more than "bytes_a_clock"
};
// With "clocks" only that pace is tried. With "bytes_a_clock", weights move outside at each pace
// until the memories are no more than "bram18". Refusal: no pipeline keeps the pace.
Fitted fitted(const Request& request, const packing::Limits& limits, ir::Family family,
              const std::function<bool(const ir::Cost&)>& fits);

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
