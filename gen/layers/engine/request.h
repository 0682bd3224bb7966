// SPDX-License-Identifier: Apache-2.0
// A user's request for an engine.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "gen/config/table.h"
#include "gen/layers/common/graph_file.h"
#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

enum class Clocking : std::uint8_t { single, twice };
enum class MapMemory : std::uint8_t { block, ultra };

struct Request {
  std::int64_t rows = 32, columns = 16, places = 4096, ring = 512;
  Clocking clocking = Clocking::single;
  MapMemory maps = MapMemory::block;
  std::optional<GraphFile> graph;
};

const config::TableOf<Request>& request_table();

// The engine, and the program of its network if it has one. Refusal.
struct Engine {
  EnginePlan plan;
  std::shared_ptr<const Program> program;
};
Engine planned(const Request& request);

}  // namespace kumiki::gen::engine
