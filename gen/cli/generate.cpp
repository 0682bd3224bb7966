// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gen/cli/commands.h"
#include "gen/cli/image_vectors.h"
#include "gen/cli/output.h"
#include "gen/cli/simulate_network.h"
#include "gen/flow/files/generate.h"

namespace kumiki::cli {
namespace {

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
