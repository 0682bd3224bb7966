// SPDX-License-Identifier: Apache-2.0
// Random networks as programs of an engine, with the images of a run each.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "gen/graph/interpret.h"
#include "gen/layers/engine/hardware/stream.h"
#include "gen/layers/engine/lower.h"
#include "ir/error.h"
#include "tests/support/random_graph.h"

namespace kumiki::test {

struct EngineNetwork {
  std::shared_ptr<const gen::engine::Program> program;
  std::vector<std::int32_t> image;  // or several, one behind the other
  std::uint64_t seed;

  // What the definition makes of each image, by output.
  std::vector<gen::graph::Numbers> wanted() const {
    const gen::graph::Graph& g = *program->whole;
    const gen::graph::Interpreter definition(g);
    gen::graph::Interpreter::Memory memory;
    const std::size_t size = gen::graph::numbers_of_image(g);
    std::vector<gen::graph::Numbers> all;
    for (std::size_t first = 0; first < image.size(); first += size) {
      definition.run(std::span(image).subspan(first, size), memory);
      for (const gen::graph::TensorId id : g.outputs) all.push_back(memory[id]);
    }
    return all;
  }
};

inline EngineNetwork engine_network(std::shared_ptr<const gen::engine::Program> program,
                                    std::uint64_t seed) {
  auto image = random_images(*program->whole, static_cast<std::size_t>(program->images()), seed);
  return {std::move(program), std::move(image), seed};
}

inline EngineNetwork engine_network(const gen::graph::Graph& g,
                                    const gen::engine::EngineShape& shape, std::uint64_t seed) {
  return engine_network(std::make_shared<const gen::engine::Program>(gen::engine::lower(g, shape)),
                        seed);
}

// A convolution of so many channels to as many, on unsigned bytes; its weights are drawn.
inline gen::graph::Graph convolution_of(const gen::graph::Shape& map,
                                        const gen::graph::Window& window, int groups,
                                        std::uint64_t seed) {
  gen::graph::Graph g;
  g.name = "convolution";
  gen::graph::Shape made = map;
  for (const int axis : {0, 1})
    made[static_cast<std::size_t>(axis) + 1] =
        window.positions(axis, map[static_cast<std::size_t>(axis) + 1]);
  g.tensors = {{"x", map, {8, false}, 0, 1}, {"y", made, {8, false}, 128, 1}};
  const auto channels = static_cast<std::size_t>(map[0]);
  gen::graph::Conv conv{
      .window = window,
      .groups = groups,
      .weights = std::vector<std::int16_t>(channels * channels / static_cast<std::size_t>(groups) *
                                           static_cast<std::size_t>(window.taps())),
      .bias = std::vector<std::int32_t>(channels),
      .scales = {0.01F}};
  std::mt19937_64 random(seed);
  for (std::int16_t& w : conv.weights) w = static_cast<std::int16_t>(random() % 256) - 128;
  g.nodes = {{"conv", conv, {0}, 1}};
  g.outputs = {1};
  gen::graph::require_legal(g);
  return g;
}

// Those that the core runs, one after the other: half of them for two or three images at once.
class EngineNetworks {
 public:
  EngineNetworks(const gen::engine::EnginePlan& plan, std::uint64_t seed)
      : plan_(plan), seed_(seed) {}
  std::optional<EngineNetwork> next() {
    for (; number_ < 2000; ++number_) {
      const gen::graph::Graph g = RandomGraph(seed_ * 1000 + number_).made();
      try {
        const std::int64_t images = number_ % 4 == 1 ? 2 : number_ % 4 == 3 ? 3 : 1;
        gen::engine::Program p = gen::engine::lower(g, plan_.core.shape, images);
        if (!why_not(plan_, p).empty()) continue;
        const std::uint64_t seed = seed_ + number_++;
        return engine_network(std::make_shared<const gen::engine::Program>(std::move(p)), seed);
      } catch (const DesignError&) {
      }
    }
    return std::nullopt;
  }

 private:
  gen::engine::EnginePlan plan_;
  std::uint64_t seed_, number_ = 0;
};

inline bool has_maps_that_come_back(const gen::engine::Program& p) {
  const auto inputs = gen::graph::all_inputs(*p.graph);
  return std::ranges::any_of(p.steps, [&](const gen::engine::Step& s) {
    const auto* load = std::get_if<gen::engine::Load>(&s);
    return load && std::ranges::count(inputs, load->tensor) == 0;
  });
}

// With fewer and fewer places, until maps wait outside and come back; null: they never do.
inline std::shared_ptr<const gen::engine::Program> with_few_places(
    const gen::graph::Graph& g, const gen::engine::EngineShape& wide) {
  using gen::engine::lower;
  try {
    gen::engine::EngineShape shape = wide;
    for (shape.places = lower(g, wide).places; shape.places >= 32; shape.places -= 16) {
      auto p = std::make_shared<const gen::engine::Program>(lower(g, shape));
      if (has_maps_that_come_back(*p)) return p;
    }
  } catch (const DesignError&) {  // no places suffice
  }
  return nullptr;
}

}  // namespace kumiki::test
