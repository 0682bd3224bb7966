// SPDX-License-Identifier: Apache-2.0
// A user's request for an engine.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "gen/config/table.h"
#include "gen/layers/common/graph_file.h"
#include "gen/layers/engine/ports/image.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

enum class Clocking : std::uint8_t { single, twice };
enum class MapMemory : std::uint8_t { block, ultra };
enum class Normaliser : std::uint8_t { none, lanes };
enum class PortKind : std::uint8_t { streams, memory };

struct Request {
  std::int64_t rows = 32, columns = 16, places = 4096, ring = 512;
  std::optional<std::int64_t> bus;
  Clocking clocking = Clocking::single;
  MapMemory maps = MapMemory::block;
  PortKind ports = PortKind::streams;
  Normaliser normaliser = Normaliser::none;
  std::optional<GraphFile> graph;
  std::optional<std::int64_t> batch;
  ir::Family family = ir::Family::ultrascale_plus;  // of the target, no key
};

const config::TableOf<Request>& request_table();

// The engine, and the program of its network if it has one; with ports also the memory that the
// program needs outside. Refusal.
struct Engine {
  EnginePlan plan;
  bool has_ports = false;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const MemoryImage> image;
  PortsPlan ports() const { return {plan}; }
};
Engine planned(const Request& request);
// The one that a network needs.
Normaliser normaliser_for(const graph::Graph& graph);
// The same engine with a network's program, for so many images at once. DesignError: the engine
// does not run it.
Engine with_network(Engine engine, const graph::Graph& graph, std::int64_t images = 1);

}  // namespace kumiki::gen::engine
