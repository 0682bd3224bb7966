// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/lowering/images.h"

#include <fmt/format.h>

#include "gen/config/array_file.h"
#include "gen/layers/array/messages.h"
#include "ir/error.h"

namespace kumiki::gen::array {
namespace {

config::ArrayShape as_array(const graph::Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

GraphOnArray::GraphOnArray(const Program& program)
    : program_(program), lowering_(*program.lowering), definition_(*lowering_.graph) {
  for (const Action& a : lowering_.actions) {
    if (!a.on_array) continue;
    const auto first = program.layers.begin() + static_cast<std::ptrdiff_t>(a.first);
    parts_.push_back({program.plan, {first, first + static_cast<std::ptrdiff_t>(a.layers)}});
  }
}

std::int64_t GraphOnArray::planned_clocks() const {
  std::int64_t all = 0;
  for (const ProgramLayer& l : program_.layers) all += l.figures.clocks;
  return all;
}

std::int64_t GraphOnArray::run(std::span<const std::int32_t> images, ProgramMachine& machine,
                               std::vector<Memory>& memories, const Options& options) const {
  const graph::Graph& g = *lowering_.graph;
  const std::size_t size = graph::numbers_of_image(g), count = images.size() / size;
  std::vector<Memory> wanted(count);
  memories.assign(count, Memory(g.tensors.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const auto image = images.subspan(i * size, size);
    definition_.run(image, wanted[i]);
    for (const graph::TensorId id : graph::all_inputs(g)) memories[i][id] = wanted[i][id];
  }
  std::int64_t clocks = 0;
  auto part = parts_.begin();
  for (const Action& a : lowering_.actions) {
    if (!a.on_array) {
      for (Memory& m : memories) definition_.run_node(a.node, m);
      continue;
    }
    clocks += play(a, *part++, machine, memories, [&](std::int64_t now) {
      if (options.progress)
        options.progress(static_cast<double>(clocks + now) / static_cast<double>(planned_clocks()));
    });
    for (std::size_t l = a.first; l < a.first + a.layers; ++l)
      for (std::size_t i = 0; i < count; ++i)
        compare(l, memories[i], wanted[i], options.first_image + i, options.machine);
  }
  return clocks;
}

// Runs the layers of an action for all images and stores their results in the memories.
std::int64_t GraphOnArray::play(const Action& action, const Program& part, ProgramMachine& machine,
                                std::vector<Memory>& memories,
                                const ProgramMachine::Progress& progress) const {
  const auto signed_numbers = [](const std::vector<std::int32_t>& numbers, const MapShape& shape,
                                 int offset) {
    Tensor map(shape);
    for (std::size_t i = 0; i < numbers.size(); ++i) map.values[i] = numbers[i] - offset;
    return map;
  };
  ProgramMachine::Inputs inputs(memories.size());
  for (std::size_t i = 0; i < memories.size(); ++i)
    for (std::size_t l = 0; l < part.layers.size(); ++l) {
      const LoweredLayer& layer = lowering_.layers[action.first + l];
      if (l > 0 && lowering_.network[action.first + l].input == InputFrom::previous)
        inputs[i].emplace_back(std::nullopt);
      else
        inputs[i].emplace_back(signed_numbers(memories[i][layer.input],
                                              part.layers[l].job.in_shape(), layer.input_offset));
    }
  const Played played = machine.play(part, inputs, progress);
  for (std::size_t i = 0; i < memories.size(); ++i)
    for (std::size_t l = 0; l < part.layers.size(); ++l) {
      const LoweredLayer& layer = lowering_.layers[action.first + l];
      std::vector<std::int32_t>& numbers = memories[i][layer.output];
      numbers = played.results[i][l].values;
      for (std::int32_t& n : numbers) n += layer.output_offset;
    }
  return played.clocks;
}

void GraphOnArray::compare(std::size_t layer, const Memory& made, const Memory& wanted,
                           std::size_t image, const std::string& machine) const {
  const LoweredLayer& l = lowering_.layers[layer];
  const graph::Graph& g = *lowering_.graph;
  const auto &got = made[l.output], &right = wanted[l.output];
  for (std::size_t k = 0; k < right.size(); ++k)
    if (got[k] != right[k])
      throw DesignError(code::array_differs,
                        fmt::format("image {}, layer {} of node {}: {}{} is {} on {}, {} by "
                                    "definition",
                                    image, lowering_.network[layer].name, g.nodes[l.node].name,
                                    g.tensors[l.output].name,
                                    config::place_in(as_array(g.tensors[l.output].shape), k),
                                    got[k], machine, right[k]));
}

}  // namespace kumiki::gen::array
