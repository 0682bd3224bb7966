// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/layers/engine/layers.h"

namespace kumiki::gen::engine {
namespace {

std::int64_t operations(const Program& p) {
  return std::ranges::count_if(p.steps,
                               [](const Step& s) { return std::holds_alternative<Op>(s); });
}

std::string program_text(const Program& p) {
  const auto layers = layers_of(p, pace_of(p));
  std::string text = fmt::format("network {}: {} operations, {} of {} places\n", p.graph->name,
                                 operations(p), p.places, p.shape.places);
  std::size_t name = 0;
  for (const LayerPace& l : layers) name = std::max(name, l.name.size());
  for (const LayerPace& l : layers)
    text += fmt::format("  {:{}}  {:>4} step{} {:>9} clocks without waiting  {:>9} bytes\n", l.name,
                        name, l.steps, l.steps == 1 ? " " : "s", l.busy, l.bytes);
  return text;
}

}  // namespace

std::string to_text(const Engine& e) {
  const CorePlan& c = e.plan.core;
  const EngineShape& s = c.shape;
  return fmt::format("engine: {} rows x {} columns x {} pixels, {} products a clock{}, {} slices\n",
                     s.rows, s.columns, EngineShape::pixels, s.macs(),
                     c.is_double ? ", columns on clk2x" : "", c.slices()) +
         fmt::format("  maps: {} places of {} bytes in {}\n", s.places, s.rows,
                     c.has_ultra_ram ? "UltraRAM" : "block RAM") +
         fmt::format("  ring of weights: {} words of {} bytes\n", s.weight_words,
                     s.rows * s.columns) +
         (e.program ? program_text(*e.program) : "") + gen::to_text(host_facts(e));
}

void write(config::Writer& w, const Engine& e) {
  const CorePlan& c = e.plan.core;
  w.member("rows", c.shape.rows);
  w.member("columns", c.shape.columns);
  w.member("products", c.shape.macs());
  w.member("slices", c.slices());
  w.member("places", c.shape.places);
  if (e.program) {
    const Program& p = *e.program;
    w.member("graph", p.graph->name);
    w.member("operations", operations(p));
    w.member("places_used", p.places);
    w.objects("layers", layers_of(p, pace_of(p)), [&](const LayerPace& l) {
      w.member("name", l.name);
      w.member("steps", l.steps);
      w.member("clocks", l.busy);
      w.member("bytes", l.bytes);
    });
  }
  w.object("host", [&] { gen::write(w, host_facts(e)); });
}

HostFacts host_facts(const Engine& e) {
  return {{"in_data", fmt::format("{} bytes a beat: operations with their weights, and maps; the "
                                  "packets are in gen/layers/engine/hardware/engine.h",
                                  e.plan.core.shape.columns)},
          {"out_data", "the places of a store, part by part; out_last with the last beat of each"},
          {"reset", "ends the operation and drops what the streams have begun"}};
}

std::vector<gen::Beat> beats(const EnginePlan& p) {
  const std::int64_t columns = p.core.shape.columns;
  const auto bytes = [&](const char* port, const char* valid, const char* ready) {
    return gen::Beat{.port = port,
                     .formats = {{8, false}},
                     .elements = {{"column", columns}},
                     .of = {{"column", columns, {{"column"}}}},
                     .what = "byte",
                     .when = {valid, ready}};
  };
  return {bytes("in_data", "in_valid", "in_ready"), bytes("out_data", "out_valid", "out_ready")};
}

}  // namespace kumiki::gen::engine
