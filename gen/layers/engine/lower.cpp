// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/lower.h"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "gen/graph/transposes.h"
#include "gen/layers/engine/attention.h"
#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/messages.h"
#include "gen/layers/pipeline/streamed.h"
#include "ir/error.h"

namespace kumiki::gen::engine {
namespace {

using graph::Graph;
using graph::Node;

// By tensor: sums that only thresholds read. They never leave the lanes.
std::vector<bool> stay_in_lanes(const Known& known) {
  std::vector<bool> all(known.graph().tensors.size());
  for (const Node& n : known.graph().nodes) all[n.output] = known.steps_behind(n).has_value();
  return all;
}

std::string why_not(const Known& known, const std::vector<bool>& in_lanes, const Node& n) {
  const Graph& g = known.graph();
  for (std::size_t i = 0; i <= n.inputs.size(); ++i) {
    const graph::TensorId id = i < n.inputs.size() ? n.inputs[i] : n.output;
    const graph::Tensor& t = g.tensors[id];
    if (t.format.bits > 8 && !in_lanes[id])
      return fmt::format("{} has numbers of {} bits; they must have at most 8", t.name,
                         t.format.bits);
  }
  if (known.steps_behind(n)) return known.stepped(n).steps.why_not;
  return std::visit(
      [&](const auto& op) -> std::string {
        if constexpr (requires { no_unit(known, n, op); }) return no_unit(known, n, op);
        return "it is none of the operators that the units know";
      },
      n.op);
}

// DesignError with all nodes that no unit does: for each operator how many, and the first of them.
void require_units(const Known& known) {
  const std::vector<bool> in_lanes = stay_in_lanes(known);
  struct Refused {
    std::size_t count = 0;
    std::string first;
  };
  std::map<std::string_view, Refused> by_operator;
  for (const Node& n : known.graph().nodes)
    if (std::string why = why_not(known, in_lanes, n); !why.empty())
      if (Refused& r = by_operator[graph::name_of(n.op)]; r.count++ == 0)
        r.first = fmt::format("{}, {}: {}", n.name, graph::with_article(n.op), why);
  if (by_operator.empty()) return;
  std::string all;
  for (const auto& [name, r] : by_operator) {
    all += fmt::format("{}{}", all.empty() ? "" : "; ", r.first);
    if (r.count > 1) all += fmt::format(" (and {} more)", r.count - 1);
  }
  throw DesignError(code::no_unit, fmt::format("the engine has no unit for {}; change the network, "
                                               "or run it as a pipeline",
                                               all));
}

}  // namespace

Program lower(const Graph& graph, const EngineShape& shape, std::int64_t images) {
  Graph simplified = with_heads_in_lines(graph, shape);
  graph::put_transposes_last(simplified);
  graph::simplify_transposes(simplified, graph::EndTransposes::hardly_count);
  const Graph streamed = pipeline::streamed(simplified);
  WithoutEnds ends = without_end_transposes(streamed);
  Batch batch = batched(std::move(ends.graph), images);
  const Known known(batch.graph, shape);
  require_units(known);
  const std::size_t count = batch.graph.tensors.size();
  Storage storage{.outside = std::vector<bool>(count),
                  .in_place = std::vector<bool>(count),
                  .by_block = std::vector<bool>(count),
                  .strip = shape.places / 8};
  for (;;) {
    Lowerer draft(known, shape, storage, true);
    const std::int64_t places = draft.run().places;
    if (places <= shape.places) {
      Program made = Lowerer(known, shape, storage, false).run();
      made.whole = std::make_shared<const Graph>(graph);
      made.input_orders = std::move(ends.inputs);
      made.output_orders = std::move(ends.outputs);
      made.inputs = std::move(batch.inputs);
      made.outputs = std::move(batch.outputs);
      return made;
    }
    if (!draft.relieve(storage))
      throw DesignError(
          code::engine_too_small,
          fmt::format("the maps need {} places at once; the engine has {}; use an engine with more "
                      "places, or smaller images",
                      places, shape.places));
  }
}

}  // namespace kumiki::gen::engine
