// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/image_vectors.h"

#include <fmt/format.h>

#include "backends/sim/lockstep/vectors.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/trained/images.h"
#include "gen/flow/trained/messages.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/lowering/images.h"
#include "ir/activity.h"

namespace kumiki::cli {
namespace {

// As many as --vectors accepts.
constexpr std::int64_t most_clocks_of_vectors = 1'000'000;

struct GraphLayer {
  const gen::array::Program* program = nullptr;
  std::string name;
};

GraphLayer graph_layer(const Project& project, const std::string& config) {
  GraphLayer found;
  std::size_t count = 0;
  for (const gen::NamedLayer& l : project.layers)
    if (const auto* p = gen::array::program_of(*l.layer); p && p->lowering && count++ == 0)
      found = {p, l.name};
  if (count != 1)
    throw UsageError(code::option_needs_layer,
                     fmt::format("{}: --image-vectors is for a pe_array with a \"graph\", and "
                                 "there are {}; there must be one",
                                 config, count));
  return found;
}

}  // namespace

backends::Vectors image_vectors(const Project& project, const std::string& config,
                                const std::string& image) {
  const GraphLayer layer = graph_layer(project, config);
  const gen::array::GraphOnArray network(*layer.program);
  if (network.planned_clocks() > most_clocks_of_vectors)
    throw UsageError(
        code::option_value,
        fmt::format("--image-vectors: an image takes {} clocks; it must take at most {}",
                    network.planned_clocks(), most_clocks_of_vectors));
  const auto& graph = *layer.program->lowering->graph;
  const flow::Images images = flow::read_images(graph, {.files = {image}, .enough = 1});
  const ir::Activity doing("running the image on the model");
  const ir::PortLayout ports = ir::layout(project.top());
  const auto model = gen::network_model(project.network);
  backends::VectorRecorder recorder(*model, ports);
  std::vector<gen::array::GraphOnArray::Memory> memories;
  network.run(images.numbers, *gen::array::on_machine(recorder, ports, layer.name + "_"), memories,
              {.machine = "model"});
  return recorder.take();
}

}  // namespace kumiki::cli
