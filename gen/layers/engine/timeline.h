// SPDX-License-Identifier: Apache-2.0
// The clocks of a run on the engine as it is built, layer by layer and by what they go to.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gen/layers/engine/hardware/forecast.h"

namespace kumiki::gen::engine {

inline constexpr std::size_t causes = 6;
std::string_view name_of(Cause cause);
// The nodes of an operation.
std::string name_of(const graph::Graph& graph, const Op& op);
using ByCause = std::array<std::int64_t, causes>;  // clocks

// The operations that begin with one node of the graph, and the loads and stores for them.
struct LayerClocks {
  std::string name;
  std::int64_t steps = 0;
  std::int64_t bytes = 0;           // of the beats of the streams
  std::int64_t macs = 0;            // that the network asks for
  std::int64_t begin = 0, end = 0;  // from its first clock to its last one; others are between
  ByCause by_cause{};
  std::int64_t clocks() const;  // that it adds to the run
  Cause bound() const;          // what most of them go to
};

// A clock belongs to the operation that runs then; if none runs, to the load or store; if neither,
// to the operation or the weights that come. Clocks in which nothing moves belong to what comes
// next. So the layers have all clocks, and each of them once.
struct Timeline {
  std::vector<Span> spans;
  std::int64_t clocks = 0;            // of a run: the forecast
  std::vector<LayerClocks> layers;    // in the order of their first steps
  std::vector<std::size_t> layer_of;  // by step
  ByCause by_cause() const;
};

// "an image", "3 images".
std::string images_of(const Program& program);
Timeline timeline_of(const EnginePlan& plan, const Program& program);

}  // namespace kumiki::gen::engine
