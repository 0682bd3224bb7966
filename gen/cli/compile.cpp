// SPDX-License-Identifier: Apache-2.0
// `compile`: makes a program for an engine that exists. The netlist of the engine stays as it is.
#include <fmt/format.h>

#include "backends/support/files.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
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
  bool force = false, json = false;
};

int compile(const CompileOptions& options, flow::Context& context) {
  if (!options.out.ends_with(ending) || options.out.size() == ending.size())
    throw UsageError(
        code::option_value,
        fmt::format("\"{}\" is not the name of a program; use -o NAME{}", options.out, ending));
  flow::require_free(options.out, options.force, "-o");
  const flow::Network network = flow::load_network(
      options.model,
      options.averages == "sums" ? gen::onnx::Averages::sums : gen::onnx::Averages::as_onnxruntime);
  const gen::engine::Engine engine =
      flow::engine_with(options.build, network.graph, options.model, context);
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
    fmt::print("{}{}\n", to_text(*engine.program), flow::ends_text(network.graph));
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
  app.add_option("-o,--out", o->out, "file to write: NAME.engine, which the driver loads")
      ->required();
  app.add_option("--averages", o->averages, "as of import")
      ->check(CLI::IsMember({"onnxruntime", "sums"}));
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
