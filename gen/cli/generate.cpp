// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/sim/lockstep/vectors.h"
#include "gen/cli/commands.h"
#include "gen/cli/output.h"
#include "gen/cli/simulate_network.h"
#include "gen/flow/files/generate.h"
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

// Records the first image of a file, read as in `run`, from power-up to its last result on the
// array's model. UsageError: no array of the configuration runs a graph, or it takes too long.
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

struct GenerateOptions {
  Source source;
  Output output;
  std::optional<std::uint64_t> seed;  // for the vectors
  std::string image;                  // take the vectors from its run through a network
  bool whole = false;                 // write streams of networks of any length
};

int generate(const GenerateOptions& options, flow::Context& context) {
  const Project project(options.source.config, reading_of(options.source, context));
  project.require_legal();
  if (options.whole) require_network(project, options.source.config, "--whole");
  backends::OutputSet files(context.cache());
  std::optional<backends::Vectors> recorded;
  if (!options.image.empty())
    recorded = image_vectors(project, options.source.config, options.image);
  const flow::Generated all = generate(project, options.source,
                                       {.extras = options.output.extras,
                                        .seed = options.seed,
                                        .recorded = recorded ? &*recorded : nullptr,
                                        .whole = options.whole},
                                       files);
  for (const std::string& note : all.left_out) fmt::print(stderr, "{}\n", note);
  write(project, files, all.report, options.output);
  return ok;
}

Run declare_generate(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<GenerateOptions>();
  add_output(app, o->output);
  number(app, "--seed", o->seed, any_seed, "seed of the vectors (default: from the configuration)")
      ->needs("--vectors");
  app.add_option("--image-vectors", o->image,
                 "golden vectors, as --vectors writes them, of a network on a pe_array with a "
                 "`graph`: every clock of the first image of this file, which `run` reads as well")
      ->excludes("--vectors")
      ->excludes("--seed");
  app.add_flag("--whole", o->whole, "images of the streams of large networks as well");
  add_axi_stream(app, o->source);
  add_source(app, o->source, settings);
  return runs(generate, o);
}

}  // namespace

Command generate_command() {
  return {"gen", "write structural Verilog, file list, manifest and report", declare_generate};
}

}  // namespace kumiki::cli
