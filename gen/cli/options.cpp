// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/options.h"

#include "gen/flow/files/messages.h"

namespace kumiki::cli {

void add_limits(CLI::App& app, Settings& settings) {
  ir::Limits& limits = settings.limits;
  add_max_cells(app, settings);
  number(app, "--max-heap-bits", limits.heap_bits, {1, 10'000'000},
         "refuse a compressor tree of more bits")
      ->capture_default_str();
  number(app, "--max-weights", limits.weights, {1, 1'000'000'000},
         "refuse a layer of more embedded weights")
      ->capture_default_str();
  number(app, "--max-layers", limits.layers, {1, 1'000'000},
         "refuse a configuration of more layers")
      ->capture_default_str();
}

CLI::Option* add_max_cells(CLI::App& app, Settings& settings) {
  return number(app, "--max-cells", settings.limits.cells, {1, 1'000'000'000},
                "refuse a netlist of more cells")
      ->capture_default_str();
}

CLI::Option* add_json(CLI::App& app, bool& json) {
  return app.add_flag("--json", json, "the result as JSON on stdout");
}

CLI::Option* add_force(CLI::App& app, bool& force) {
  return app.add_flag(
      "--force", force,
      "replace files in the folder of results that kumiki has not written or that were "
      "changed since");
}

CLI::Option* add_replace(CLI::App& app, bool& force) {
  return app.add_flag("--force", force, "replace the file to write");
}

backends::FilesOfUser theirs(bool force) {
  return force ? backends::FilesOfUser::replace : backends::FilesOfUser::keep;
}

CLI::Option* add_batch(CLI::App& app, std::optional<std::int64_t>& images) {
  return number(app, "--batch", images, {1, 64},
                "of an engine: images of a run, whose dense layers at the end are computed "
                "together, so that their weights come once (default: 1)");
}

void add_jobs(CLI::App& app, unsigned& jobs) {
  number(app, "--jobs", jobs, most_jobs, "compilers at a time (default: one a processor)");
}

void add_grade(CLI::App& app, std::optional<int>& grade) {
  number(app, "--grade", grade, {1, 3},
         "speed grade, 1 is the slowest (default: of the part, or 1)");
}

Scaling add_scaling(CLI::App& app, std::vector<double>& mean, std::vector<double>& deviation) {
  const auto per_channel = [&](const char* name, std::vector<double>& values, Range<double> range,
                               const char* help) {
    return number(app, name, values, range, help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->take_all();
  };
  return {
      per_channel("--mean", mean, {-1000, 1000},
                  "taken off a pixel that was divided by 255: one value, or one a channel between "
                  "commas, as torchvision's Normalize"),
      per_channel("--std", deviation, {0.001, 1000},
                  "divides it then: one value, or one a channel")};
}

void add_cache(CLI::App& app, Settings& settings) {
  app.add_option("--cache", settings.cache,
                 "folder of what is kept between runs (default: $KUMIKI_CACHE, "
                 "$XDG_CACHE_HOME/kumiki or ~/.cache/kumiki)");
}

void add_take_incumbent(CLI::App& app, Settings& settings) {
  app.add_flag("--take-incumbent", settings.take_incumbent,
               "the first Ctrl-C ends only the search for smaller compressor trees: the best ones "
               "so far are taken, and what is written says so");
}

void add_trace(CLI::App& app, Settings& settings) {
  app.add_option("--trace", settings.trace,
                 "file for what was done and how long it took, as Chrome and Perfetto show it");
}

void without_use(bool given, std::string_view option, std::string_view what) {
  if (given)
    throw UsageError(code::option_value,
                     fmt::format("{} has no effect on {}; remove it", option, what));
}

void add_source(CLI::App& app, Source& source, Settings& settings, bool networks) {
  app.add_option("config", source.config,
                 networks ? "configuration file (JSON), or a trained network (.onnx, .graph)"
                          : "configuration file (JSON)")
      ->required();
  add_limits(app, settings);
  add_take_incumbent(app, settings);
  add_cache(app, settings);
  add_trace(app, settings);
}

void add_axi_stream(CLI::App& app, Source& source) {
  app.add_flag("--axi-stream", source.axi_stream,
               "layers with streams or a clock enable between AXI4-Stream ports with registered "
               "skid buffers");
}

flow::Reading reading_of(const Source& source, flow::Context& context) {
  return {.axi_stream = source.axi_stream, .context = context, .note = [](const std::string& text) {
            fmt::print(stderr, "kumiki: {}\n", text);
          }};
}

void add_output(CLI::App& app, Output& output) {
  app.add_option("-o,--out", output.folder, "folder for the results")
      ->capture_default_str()
      ->each([&output](const std::string&) { output.is_named = true; });
  add_force(app, output.force);
  add_json(app, output.json);
  number(app, "--vectors", output.extras.vectors, {1, 1'000'000},
         "golden vectors of so many cycles: hex and CSV files and a testbench that replays them");
  app.add_flag("--placement", output.extras.placement,
               "relative placement for Vivado: a macro for each cascade of DSP slices and each "
               "carry chain");
  app.add_flag(
      "--driver", output.extras.driver,
      "with --axi-stream: a C99 driver that sends frames through an AXI DMA, how the frames of "
      "this netlist are packed, and a Python module with numpy on top; for the 7 series also what "
      "boards need; of an engine with ports of its own: the driver that runs programs of "
      "`compile`");
  app.add_flag("--cocotb", output.extras.cocotb,
               "with golden vectors: a testbench in Python for cocotb, with a "
               "scoreboard of these vectors, to be extended");
}

}  // namespace kumiki::cli
