// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/request.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/config/document.h"
#include "gen/layers/engine/hardware/stream.h"
#include "gen/layers/engine/lower.h"
#include "gen/layers/engine/messages.h"
#include "gen/layers/engine/normal.h"
#include "gen/layers/pipeline/messages.h"

namespace kumiki::gen::engine {
namespace {

using config::field;

config::Violations check(const Request& r) {
  if (r.batch && !r.graph)
    return {{code::key_without_use, "batch", "is given without \"graph\"",
             "give both, or leave it out"}};
  if (!r.graph || !r.graph->wrong) return {};
  config::Violation wrong = *r.graph->wrong;
  wrong.key = "graph";
  return {wrong};
}

}  // namespace

const config::TableOf<Request>& request_table() {
  static const config::TableOf<Request> table{
      "engine",
      "One machine that runs a network layer after layer, from a stream of operations.",
      {field("rows", &Request::rows)
           .range(2, CorePlan::most_rows)
           .help("input channels at once; 1, 2, 4, 8 or 16 times the columns"),
       field("columns", &Request::columns)
           .range(2, CorePlan::most_rows)
           .help("output channels at once, each for four pixels"),
       field("places", &Request::places)
           .range(8, 1 << 24)
           .help(
               "words of the memory of maps, each of `rows` channels of a pixel; a multiple of 4"),
       field("ring", &Request::ring)
           .range(2, 1 << 20)
           .help(
               "words of the ring of weights, each of `rows` x `columns` weights; a power of two"),
       field("bus", &Request::bus)
           .range(2, CorePlan::most_rows)
           .absent("as many as columns")
           .help("bytes of a beat of the streams, or of a word of the memory outside: as many as "
                 "columns, or 2, 4, 8 or 16 times as many, and at most as many as rows"),
       field("clocking", &Request::clocking)
           .choices({{"single", Clocking::single, "one clock"},
                     {"double", Clocking::twice,
                      "columns and weights on clk2x, with half as many slices"}})
           .help("the clock of the columns"),
       field("maps", &Request::maps)
           .choices(
               {{"block", MapMemory::block, "block RAM"}, {"ultra", MapMemory::ultra, "UltraRAM"}})
           .help("where maps are kept"),
       field("ports", &Request::ports)
           .choices({{"streams", PortKind::streams,
                      "operations, weights and maps come through a stream, and maps leave through "
                      "another one"},
                     {"memory", PortKind::memory,
                      "an AXI4 master reads programs and moves maps; registers behind AXI4-Lite "
                      "start it"}})
           .help("what is around the engine"),
       field("normaliser", &Request::normaliser)
           .choices({{"none", Normaliser::none, "no network with softmax or layer_norm"},
                     {"lanes", Normaliser::lanes,
                      "a unit for softmax and layer_norm in integers, a lane for each column"}})
           .help("what computes softmax and layer normalisation"),
       field("graph", &Request::graph)
           .rule(config::file_path())
           .absent("only the machine is made")
           .help("file of a trained network, as kumiki import writes it: it must fit the engine, "
                 "and kumiki run sends images through it"),
       field("batch", &Request::batch)
           .range(1, 64)
           .absent("one image")
           .help("images of a run, whose dense layers at the end are computed together, so that "
                 "their weights come once")},
      {check}};
  return table;
}

Engine planned(const Request& r) {
  if (r.maps == MapMemory::ultra && !ir::arch::of(r.family).has_ultra_ram)
    throw config::Refusal({code::wrong_family, "maps",
                           fmt::format("asks for UltraRAM, which the family {} does not have",
                                       ir::family_name(r.family)),
                           "must be \"block\", or take the family ultrascale+"});
  if (r.normaliser == Normaliser::lanes && !packing::Limits::of(r.family).w_multiplexer)
    throw config::Refusal(
        {code::wrong_family, "normaliser",
         fmt::format("asks for slices that add four numbers; those of {} add three",
                     ir::family_name(r.family)),
         "must be \"none\", or take the family ultrascale+"});
  const std::int64_t bus = r.bus.value_or(r.columns);
  Engine e{.plan = {plan_core({.rows = r.rows,
                               .columns = r.columns,
                               .beat_parts = r.bus ? beat_parts_of(bus, r.rows, r.columns) : 1,
                               .places = r.places,
                               .weight_words = r.ring,
                               .normalises = r.normaliser == Normaliser::lanes},
                              r.clocking == Clocking::twice, r.maps == MapMemory::ultra,
                              packing::Limits::of(r.family))},
           .has_ports = r.ports == PortKind::memory,
           .program = nullptr,
           .image = nullptr};
  if (e.has_ports && !can_have_ports(e.plan))
    throw config::Refusal({code::no_core, r.bus ? "bus" : "columns", "bytes are no word of AXI4",
                           "with \"ports\": \"memory\" must be 4, 8, 16, 32 or 64"});
  if (!r.graph || !r.graph->graph) return e;
  try {
    return with_network(std::move(e), *r.graph->graph, r.batch.value_or(1));
  } catch (const DesignError& error) {
    throw config::Refusal("graph", error);
  }
}

Normaliser normaliser_for(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const graph::Node& n) { return normalises(n.op); })
             ? Normaliser::lanes
             : Normaliser::none;
}

Engine with_network(Engine e, const graph::Graph& graph, std::int64_t images) {
  e.program = std::make_shared<const Program>(lower(graph, e.plan.core.shape, images));
  if (const std::string why = why_not(e.plan, *e.program); !why.empty())
    throw DesignError(code::no_unit, "the engine does not run the network: " + why);
  if (e.has_ports)
    e.image = std::make_shared<const MemoryImage>(memory_image(e.ports(), e.program));
  return e;
}

}  // namespace kumiki::gen::engine
