// SPDX-License-Identifier: Apache-2.0
// `compile`: makes a program for an engine that exists. The netlist of the engine stays as it is.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "backends/emit/project/driver.h"
#include "backends/support/file.h"
#include "backends/support/files.h"
#include "backends/support/temporary.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/cli/output.h"
#include "gen/cli/script.h"
#include "gen/config/writer.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/output.h"
#include "gen/flow/trained/engine_program.h"
#include "gen/flow/trained/network_source.h"
#include "gen/layers/engine/ports/file.h"
#include "gen/layers/engine/text.h"

namespace kumiki::cli {
namespace {

constexpr std::string_view ending = ".engine";

struct CompileOptions {
  std::string model, build, out, averages = "onnxruntime";
  std::optional<std::int64_t> batch;
  bool parts = false;  // what the engine does not run stays with onnxruntime
  bool force = false, json = false;
};

// A model of parts: what Python has written goes into a folder of the user's.
int partition(const CompileOptions& options, flow::Context& context) {
  if (options.out.ends_with(ending))
    throw UsageError(code::option_value,
                     fmt::format("--partition writes several files; name a folder with -o, not {}",
                                 options.out));
  if (!options.model.ends_with(".onnx"))
    throw UsageError(code::option_value, fmt::format("--partition cuts ONNX models, NAME.onnx; {} "
                                                     "is none",
                                                     options.model));
  flow::require_engine(options.build, context);
  // A file that is no model is refused as everywhere; what a model has is looked at part by part.
  try {
    flow::load_network(options.model);
  } catch (const gen::onnx::Refused&) {
  }
  const backends::TemporaryFolder folder;
  const Json report = run_script(
      "partition.py", fmt::format("cutting {} into parts", options.model),
      {"--program=" + std::filesystem::read_symlink("/proc/self/exe").string(),
       "--build=" + options.build, "--out=" + folder.path().string(), "--", options.model});
  backends::OutputSet files;
  std::vector<std::filesystem::path> made;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    made.push_back(entry.path());
  std::ranges::sort(made);
  for (const auto& path : made) files.add(path.filename().string(), backends::read_file(path));
  backends::write_hosts_of_parts(files, flow::generator());
  write_part(files, options.out, "compile", theirs(options.force));
  if (options.json)
    fmt::print("{}\n", report.dump(2));
  else
    fmt::print("{}\n", report.at("text").get<std::string>());
  say_written(files, options.out);
  return ok;
}

int compile(const CompileOptions& options, flow::Context& context) {
  if (options.parts) return partition(options, context);
  if (!options.out.ends_with(ending) || options.out.size() == ending.size())
    throw UsageError(
        code::option_value,
        fmt::format("\"{}\" is not the name of a program; use -o NAME{}", options.out, ending));
  flow::require_free(options.out, options.force, "-o");
  const flow::Network network = flow::load_network(
      options.model,
      options.averages == "sums" ? gen::onnx::Averages::sums : gen::onnx::Averages::as_onnxruntime);
  const gen::engine::Engine engine = flow::engine_with(options.build, network.graph, options.model,
                                                       options.batch.value_or(1), context);
  const gen::engine::MemoryImage& image = *engine.image;
  backends::write_named_file(options.out, gen::engine::program_file(engine.ports(), image),
                             theirs(options.force));
  if (options.json) {
    gen::config::Writer w;
    w.object([&] {
      write(w, engine);
      w.member("build", engine.ports().build_hash());
      w.member("notes", network.notes);
    });
    fmt::print("{}\n", w.printed());
  } else {
    fmt::print("{}{}\n", gen::engine::network_text(engine), flow::ends_text(network.graph));
    for (const std::string& note : network.notes) fmt::print("note: {}\n", note);
  }
  fmt::print(stderr,
             "the program: {}, for builds {:08x}; in memory {} bytes of it and {} bytes of data\n",
             options.out, engine.ports().build_hash(), image.program->size(),
             image.data_words * engine.ports().word_bytes());
  return ok;
}

Run declare_compile(CLI::App& app, Settings&) {
  const auto o = std::make_shared<CompileOptions>();
  app.add_option("model", o->model, "MODEL.onnx, quantised, or NET.graph, as `import` writes it")
      ->required();
  app.add_option("--for", o->build,
                 "configuration of the engine that is to run it, with \"ports\": \"memory\"")
      ->type_name("BUILD.json")
      ->required();
  app.add_option("-o,--out", o->out,
                 "file to write: NAME.engine, which the driver loads; with --partition a folder")
      ->required();
  auto* averages = app.add_option("--averages", o->averages, "as of import")
                       ->check(CLI::IsMember({"onnxruntime", "sums"}));
  auto* batch = add_batch(app, o->batch);
  app.add_flag("--partition", o->parts,
               "any model.onnx: what the engine computes exactly becomes programs, and the rest a "
               "model for onnxruntime whose nodes they are; uses Python with onnx")
      ->excludes(averages)
      ->excludes(batch);
  add_replace(app, o->force);
  add_json(app, o->json);
  return runs(compile, o);
}

}  // namespace

Command compile_command() {
  return {"compile", "make a program of a trained network for an engine that exists",
          declare_compile};
}

}  // namespace kumiki::cli
