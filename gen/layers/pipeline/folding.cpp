// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/folding.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/layers/pipeline/lower.h"
#include "gen/layers/pipeline/streamed.h"

namespace kumiki::gen::pipeline {
namespace {

// The fewest clocks, from so many on, that every machine can keep.
std::int64_t first_legal(const Foldings& foldings, std::int64_t clocks) {
  for (;;) try {
      lowered(foldings, clocks);
      return clocks;
    } catch (const TooSlow& e) {
      clocks = e.interval;
    }
}

PipelinePlan of_clocks(const Foldings& foldings, std::int64_t clocks) {
  try {
    return lowered(foldings, clocks);
  } catch (const TooSlow& e) {
    throw config::Refusal(
        {Code::pipeline_too_slow, "clocks",
         fmt::format("is too few for {}, which takes {} at least", e.name, e.interval),
         fmt::format("{} or more is legal", first_legal(foldings, e.interval))});
  }
}

// The fewest clocks that a budget allows. More clocks never take more slices: every layer is folded
// for itself.
PipelinePlan of_slices(const Foldings& foldings, std::int64_t slices) {
  const std::int64_t least = first_legal(foldings, 1);
  std::vector<std::int64_t> paces = foldings.paces();
  std::erase_if(paces, [&](std::int64_t p) { return p <= least; });
  paces.insert(paces.begin(), least);
  const auto fits = [&](std::int64_t clocks) {
    return lowered(foldings, clocks).slices() <= slices;
  };
  const auto first =
      std::ranges::partition_point(paces, [&](std::int64_t clocks) { return !fits(clocks); });
  if (first == paces.end()) {
    const auto needed = lowered(foldings, paces.back()).slices();
    throw config::Refusal({Code::pipeline_too_slow, "slices",
                           fmt::format("is too few: the slowest pipeline has {}", needed),
                           fmt::format("{} or more is legal", needed)});
  }
  return lowered(foldings, *first);
}

}  // namespace

PipelinePlan folded(const Request& r, const packing::Limits& limits) {
  const auto graph = r.graph->graph;
  try {
    if (graph->outputs.size() != 1)
      throw DesignError(Code::no_machine, fmt::format("it has {} outputs", graph->outputs.size()));
    const Foldings foldings(std::make_shared<const graph::Graph>(streamed(*graph)), limits);
    PipelinePlan plan = r.clocks ? of_clocks(foldings, *r.clocks) : of_slices(foldings, *r.slices);
    plan.graph = graph;
    return plan;
  } catch (const config::Refusal&) {
    throw;
  } catch (const DesignError& e) {
    throw config::Refusal({e.code(), "graph", fmt::format("cannot be a pipeline: {}", e.what()),
                           "another network is legal, or the type pe_array, whose host does what "
                           "no machine does"});
  }
}

}  // namespace kumiki::gen::pipeline
