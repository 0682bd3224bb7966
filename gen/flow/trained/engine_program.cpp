// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/engine_program.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gen/device/messages.h"
#include "gen/flow/project.h"
#include "gen/flow/trained/messages.h"
#include "gen/flow/usage.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/engine/hardware/forecast.h"
#include "gen/layers/engine/layer.h"
#include "ir/activity.h"
#include "ir/limits.h"
#include "ir/resources.h"

namespace kumiki::flow {

namespace engine = gen::engine;

engine::Engine require_engine(const std::string& build, Context& context) {
  const Plans plans(build, {.context = context});
  std::optional<engine::Engine> machine;
  std::size_t found = 0;
  for (const gen::NamedLayer& l : plans.layers)
    if (const engine::Engine* e = engine::engine_of(*l.layer); e && e->has_ports && ++found == 1)
      machine = *e;
  if (found != 1)
    throw UsageError(
        code::option_needs_layer,
        fmt::format("{} has {} layers of type engine with \"ports\": \"memory\", which "
                    "run compiled programs; it must have one",
                    build, found));
  return *std::move(machine);
}

engine::Engine engine_with(const std::string& build, const gen::graph::Graph& graph,
                           const std::string& model, std::int64_t batch, Context& context) {
  engine::Engine machine = require_engine(build, context);
  try {
    return engine::with_network(std::move(machine), graph, batch);
  } catch (const DesignError& e) {
    throw ir::LimitError(within(fmt::format("{} on the engine of {}", model, build), e));
  }
}

namespace {

// Of everything a device has, so much may be used: what is fuller is hard to route.
constexpr double most_full = 80;  // percent

// Bytes in a clock: more than the memory of a board gives would be for nothing.
constexpr std::int64_t most_bus = 32;

std::optional<gen::device::Fit> fit_of(const engine::Request& r, const gen::device::Device& device,
                                       const ir::Limits& limits) {
  try {
    gen::Builder builder(device.family, limits);
    const ir::Module& top = engine::make_layer(engine::planned(r))->build(builder, {});
    builder.design().set_top(top.id());
    const auto fit = gen::device::fit(device, ir::count_resources(builder.design()).total);
    if (std::ranges::all_of(fit.uses, [](const gen::device::Use& u) {
          return !u.known || u.used == 0 || u.percent() <= most_full;
        }))
      return fit;
  } catch (const gen::config::Refusal&) {  // such an engine cannot be
  }
  return std::nullopt;
}

}  // namespace

FittedEngine fit_engine(const gen::graph::Graph& graph, const std::string& file,
                        const gen::device::Device& device, std::int64_t batch,
                        const ir::Context& context) {
  ir::Activity activity(fmt::format("looking for an engine on {}", device.name));
  struct Size {
    std::int64_t rows, columns;
  };
  std::vector<Size> sizes;
  for (const std::int64_t rows : {8, 16, 32, 64})
    for (const std::int64_t columns : {4, 8, 16, 32, 64})
      if (columns <= rows) sizes.push_back({rows, columns});
  std::ranges::stable_sort(
      sizes, [](const Size& a, const Size& b) { return a.rows * a.columns > b.rows * b.columns; });

  std::optional<FittedEngine> best;
  std::optional<DesignError> why;
  for (const Size& size : sizes) {
    // Half the products take about twice the clocks.
    if (best && 4 * size.rows * size.columns <= best->request.rows * best->request.columns) break;
    engine::Request r{
        .rows = size.rows,
        .columns = size.columns,
        .bus = std::max(size.columns, std::min(size.rows, most_bus)),
        .clocking = engine::Clocking::twice,
        .maps = device.urams > 0 ? engine::MapMemory::ultra : engine::MapMemory::block,
        .ports = engine::PortKind::memory,
        .normaliser = engine::normaliser_for(graph),
        .graph = std::nullopt,
        .batch = std::nullopt,
        .family = device.family};
    std::optional<gen::device::Fit> fit;
    for (const std::int64_t places : {131'072, 98'304, 81'920, 65'536, 49'152, 32'768, 24'576,
                                      16'384, 12'288, 8192, 4096, 2048}) {
      r.places = places;
      if (fit = fit_of(r, device, context.limits); fit) break;
    }
    if (!fit) continue;
    activity.at(fmt::format("{} rows x {} columns, {} places", r.rows, r.columns, r.places));
    try {
      const engine::Engine with = engine::with_network(engine::planned(r), graph, batch);
      const std::int64_t clocks = engine::forecast(with.plan, *with.program) / batch;
      if (!best || clocks < best->clocks) best = {r, clocks, *std::move(fit)};
    } catch (const DesignError& e) {
      if (!why) why = e;
    }
  }
  if (best) return *best;
  if (why)
    throw ir::LimitError(within(fmt::format("{} on an engine of {}", file, device.name), *why));
  throw ir::LimitError(
      code::device_too_small,
      fmt::format("{}: no engine fits with a fifth to spare; take a larger device", device.name));
}

}  // namespace kumiki::flow
