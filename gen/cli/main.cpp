// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "backends/support/signals.h"
#include "gen/cli/busy.h"
#include "gen/cli/cli.h"
#include "gen/cli/completion.h"
#include "gen/cli/manual.h"
#include "gen/cli/meant.h"
#include "gen/cli/number.h"
#include "gen/cli/streams.h"
#include "gen/cli/trace.h"
#include "gen/cli/watch.h"
#include "gen/config/document.h"
#include "gen/config/finding.h"
#include "gen/config/writer.h"
#include "gen/layer/layer.h"
#include "ir/error.h"
#include "ir/interrupt.h"
#include "ir/limits.h"

namespace kumiki::cli {
namespace {

constexpr const char* footer =
    "exit codes: 0 ok, 1 the design failed a check or a comparison, 2 usage, 3 configuration or a "
    "limit, 4 files or tools, 5 not everything is proved, 70 a bug in kumiki, "
    "130 interrupted (143 by TERM, 129 by HUP)";

struct Command {
  const char* name;
  const char* help;
  int (*run)(const Options&);
  bool config, out, json, simulation;
};

constexpr Command commands[] = {
    {"check", "read a configuration, build the netlist and check it", check, true, false, true,
     false},
    {"plan", "show the arithmetic of every layer without building a net", plan, true, false, true,
     false},
    {"gen", "write structural Verilog, file list, manifest and report", generate, true, true, true,
     false},
    {"sim", "gen, then run the netlist in lockstep with its model", simulate, true, true, true,
     true},
    {"synth", "gen, then count cells with Yosys beside our own count", synthesize, true, true, true,
     false},
    {"prove", "prove every layer's netlist equal to its definition in plain Verilog, by Yosys",
     prove, true, false, true, false},
    {"show", "show the netlist: hierarchy, a module as text or as blocks, a layer bit by bit", show,
     true, false, false, false},
    {"bench", "print a table of what the generators reach, counted on their netlists", bench, false,
     false, true, false},
    {"cost", "what a network costs on an array of processing elements, by formula", network_cost,
     false, false, true, false},
    {"cache", "list what is kept between runs: simulators that were built, trees that were solved",
     cache, false, false, true, false},
    {"picture", "write one of the project's own test pictures as PNG, PGM or PPM", picture, false,
     false, true, false},
    {"schema", "print the JSON schema of configurations", schema, false, false, false, false},
    {"list", "list layer types, or the attributes of one", list, false, false, true, false},
};

// As long as a configuration may ask for.
constexpr Range<std::uint64_t> most_cycles{1, 1'000'000'000'000};

// Options that raise what absurd requests are measured by.
void add_limits(CLI::App& app, ir::Limits& limits) {
  number(app, "--max-cells", limits.cells, {1, 1'000'000'000}, "refuse a netlist of more cells")
      ->capture_default_str();
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

void add_options(CLI::App& app, const Command& c, Options& o) {
  if (c.config) app.add_option("config", o.config, "configuration file (JSON)")->required();
  if (c.out) app.add_option("-o,--out", o.out, "folder for the results")->capture_default_str();
  if (c.out || c.run == plan || c.run == network_cost || c.run == bench)
    app.add_flag("--force", o.force,
                 "replace files in the folder of results that kumiki has not written or that "
                 "were changed since");
  if (c.json) app.add_flag("--json", o.json, "the result as JSON on stdout");
  if (c.config) add_limits(app, o.limits);
  if (c.simulation) {
    app.add_option("--with", o.with,
                   "simulator: verilator, native or icarus; model: networks of a pe_array on the "
                   "model alone, no netlist is run")
        ->check(CLI::IsMember({"verilator", "native", "icarus", "model"}))
        ->capture_default_str();
    app.add_option("--unisim", o.unisim,
                   "run under Icarus with this folder of the vendor's models: layers, networks of "
                   "a pe_array and pictures");
    app.add_option("--image", o.image,
                   "send this picture (PNG, PGM, PPM) through a vision layer; -o names the picture "
                   "that comes out, NAME.reference and NAME.difference appear beside it");
    app.add_option("--layer", o.layer,
                   "run this layer of the network of a pe_array instead of all of them");
    app.add_flag("--whole", o.whole,
                 "run networks of more than a million clocks as well (Icarus: of more than 20000)");
    number(app, "--stalls", o.stalls, {0, 250},
           "network of a pe_array: clocks of 256 in which each stream waits")
        ->capture_default_str();
    number(app, "--cycles", o.cycles, most_cycles,
           "cycles to run (default: from the configuration)");
    number(app, "--mutate", o.mutations, {1, 1'000'000},
           "change so many single cells, one at a time: lockstep must see it (at least 95 "
           "% of those that "
           "change the function)");
    number(app, "--seed", o.seed, any_seed,
           "seed of the stimulus (default: from the configuration)");
  }
  if (c.config && c.run != prove)
    app.add_flag("--axi-stream", o.axi_stream,
                 "layers with streams or a clock enable between AXI4-Stream ports with registered "
                 "skid buffers");
  if (c.simulation || c.run == bench)
    number(app, "--jobs", o.jobs, {1, 256}, "compilers at a time (default: one a processor)");
  if (c.config || c.run == bench)
    app.add_flag(
        "--take-incumbent", o.take_incumbent,
        "the first Ctrl-C ends only the search for smaller compressor trees: the best ones "
        "so far are taken, and what is written says so");
  if (c.config || c.run == bench || c.run == cache)
    app.add_option("--cache", o.cache,
                   "folder of what is kept between runs (default: $KUMIKI_CACHE, "
                   "$XDG_CACHE_HOME/kumiki or ~/.cache/kumiki)");
  if (c.config || c.run == bench || c.run == network_cost)
    app.add_option("--trace", o.trace,
                   "file for what was done and how long it took, as Chrome and Perfetto show it");
  if (c.run == cache) {
    app.add_flag("--clear", o.clear, "remove it");
    app.add_option("--kind", o.kind, "only this kind: model, runtime or tree");
  }
  if (c.out)
    number(app, "--vectors", o.vectors, {1, 1'000'000},
           "golden vectors of so many cycles: hex and CSV files and a testbench that replays them");
  if (c.out) {
    auto* placement = app.add_flag("--placement", o.placement,
                                   "relative placement for Vivado: a macro for each cascade of DSP "
                                   "slices and each carry chain");
    if (c.simulation) placement->excludes("--image");
  }
  if (c.run == synthesize) {
    app.add_flag("!--no-naive", o.naive,
                 "do not ask Yosys what it makes of the definitions of layers without DSP slices");
    number(app, "--time", o.seconds, {1, 1'000'000},
           "seconds for what Yosys makes of each definition")
        ->capture_default_str();
  }
  if (c.run == generate)
    app.add_flag("--whole", o.whole, "images of the streams of large networks as well");
  if (c.run == generate)
    number(app, "--seed", o.seed, any_seed,
           "seed of the vectors (default: from the configuration)");
  if (c.run == plan)
    app.add_option("-o,--out", o.pictures, "folder for a picture of every layer (SVG)");
  if (c.run == bench) {
    app.add_option("table", o.table,
                   "packing, conv2d, compressor, neuron, reach, delay, vision, devices or array")
        ->required();
    number(app, "--clock", o.clock, {1.0, 2000.0},
           "devices: this clock for all, in MHz (default: each its own)");
    number(app, "--terms", o.terms, {1, 65536},
           "packing: lengths (default: 7 8 9 64 256); delay: numbers of bits (default: 2 to 64)");
    app.add_option("--skew", o.skew, "packing: who aligns the operands")
        ->check(CLI::IsMember({"external", "internal", "both"}))
        ->capture_default_str();
    app.add_option(
        "--heap", o.heap,
        "compressor, neuron, delay: rows whose name has this in it; neuron: dense for bnn_dense");
    app.add_option("--objective", o.objective, "compressor, neuron: rows of this objective");
    number(app, "--effort", o.effort, {0, 5}, "compressor, neuron: of the solver");
    app.add_flag("--solve", o.solve, "compressor, neuron: solve what is shipped as well");
    number(app, "--solver-seed", o.tree_seed, {0, std::numeric_limits<int>::max()},
           "compressor, neuron: of the solver (default: 1)");
    number(app, "--stages", o.stages, {1, 64},
           "compressor, neuron: solve for exactly so many stages");
    app.add_option("--trees", o.trees, "compressor, neuron: folder for the trees as text");
    app.add_flag("!--no-naive", o.naive,
                 "compressor, neuron: do not ask Yosys what it makes of the behaviour");
    app.add_option("--with", o.bench_with, "simulator of the lockstep runs: verilator or native")
        ->check(CLI::IsMember({"verilator", "native"}))
        ->capture_default_str();
    number(app, "--cycles", o.cycles, most_cycles, "cycles of each lockstep run (default: 2000)");
    number(app, "--seed", o.seed, any_seed, "seed of the stimulus");
  }
  if (c.run == plan) {
    auto* all = app.add_flag(
        "--all", o.all,
        "also every other proved plan, best first, and every refusal with what breaks");
    auto* device = app.add_option("--device", o.device,
                                  "build the netlist for this device (`list --devices`), count it "
                                  "and say whether it fits: exit code 1 when it does not")
                       ->excludes(all);
    number(app, "--clock", o.clock, {1.0, 2000.0},
           "with --device: MHz to project GOPS at (default: the slice's fastest, an assumption)")
        ->needs(device);
  }
  if (c.run == prove) {
    app.add_option("--netlist", o.netlists,
                   "prove the modules of this Verilog file, the top or modules of layers, instead "
                   "of those that would be built (several files: the option again)")
        ->allow_extra_args(false)
        ->take_all();
    number(app, "--depth", o.depth, {1, 100'000},
           "clocks to compare from power-up where no proof without a bound is to be had "
           "(default: three times the latency and 8)");
    number(app, "--time", o.seconds, {1, 1'000'000},
           "seconds for each layer, of Yosys and ABC together; its plan is not counted")
        ->capture_default_str();
  }
  if (c.run == show) {
    auto* module = app.add_option("--module", o.module, "this module, as text");
    auto* blocks =
        app.add_flag("--blocks", o.blocks, "the module (or the top) as blocks and wires");
    auto* layer =
        app.add_option("--layer", o.layer, "this layer's plan with its picture, bit by bit")
            ->excludes(module)
            ->excludes(blocks);
    app.add_option("-o,--out", o.drawing,
                   "file for the picture: blocks as .svg (by Graphviz) or .dot, a layer's as .svg");
    app.add_option("--picture", o.picture, "which of the layer's pictures (default: the first)")
        ->needs(layer);
  }
  if (c.run == network_cost) {
    app.add_option("config", o.config, "configuration file (JSON) with one layer of type pe_array");
    app.add_flag("--keys", o.keys, "the keys of such a layer instead");
    app.add_option(
        "-o,--out", o.pictures,
        "folder for cost.json, layers.csv, layers.svg and a .csv and .svg of every sweep");
    app.add_flag(
        "--beyond", o.beyond,
        "also the modes beyond the paper, with their gain: sub-blocks for small maps, fully "
        "connected layers for a batch at once");
    number(app, "--batch", o.batch, {1, 65536}, "images (default: from the configuration)");
  }
  if (c.run == picture) {
    app.add_option("name", o.picture, "which picture");
    app.add_option("-o,--out", o.picture_file, "file to write: .png, .pgm (grey) or .ppm (colour)");
    app.add_option("--size", o.size, "WIDTHxHEIGHT, 1x1 to 8192x8192")->capture_default_str();
    number(app, "--seed", o.seed, any_seed,
           "seed of the pictures that have something random (default: 1)");
    app.add_flag("--list", o.list_pictures, "the pictures there are");
  }
  if (c.run == list) {
    app.add_option("type", o.type, "a layer type");
    app.add_flag("--elements", o.elements, "the elements of compressor trees instead");
    app.add_flag("--devices", o.devices, "the devices that `plan --device` knows instead");
  }
}

int say(Exit code, const char* what) {
  fmt::print(stderr, "kumiki: {}\n", what);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app{
      "Kumiki writes structural Verilog for AMD FPGAs and runs it in lockstep with a model first.",
      "kumiki"};
  // Before --version, which ends the parsing where it stands.
  bool json = false;
  app.add_flag("--json", json, "with --version: it and the versions of formats as JSON");
  app.set_version_flag("--version", std::string("kumiki ") + KUMIKI_VERSION);
  app.require_subcommand(1);
  app.footer(footer);
  app.get_formatter()->column_width(28);
  Options options;
  int (*chosen)(const Options&) = nullptr;
  for (const Command& c : commands) {
    CLI::App* sub = app.add_subcommand(c.name, c.help);
    add_options(*sub, c, options);
    sub->callback([&chosen, &c] { chosen = c.run; });
  }
  // For packages, not for people: --help leaves them out.
  CLI::App* manual = app.add_subcommand("manual", "print the manual page")->group("");
  CLI::App* complete = app.add_subcommand("completion", "print the completion of a shell");
  std::string shell;
  complete->group("")
      ->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  // For completions.
  CLI::App* layers = app.add_subcommand("layers", "print the layers of a configuration");
  std::string config;
  bool networks = false;
  layers->group("")->add_option("config", config, "configuration file (JSON)")->required();
  layers->add_flag("--networks", networks, "those of the networks of arrays instead");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& e) {
    if (!json) return app.exit(e);
    gen::config::Writer w;
    w.object([&] {
      w.member("program", "kumiki");
      w.member("version", KUMIKI_VERSION);
      w.member("configuration", gen::config::format_version);
      w.member("report", backends::report_version);
      w.member("manifest", backends::manifest_version);
    });
    fmt::print("{}\n", w.printed());
    return ok;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0)
      if (const auto sentence = what_was_meant(app, argc, argv))
        return say(usage, sentence->c_str());
    // CLI11 has exit codes of its own: help and version are 0, everything else is wrong usage.
    return app.exit(e) == 0 ? ok : usage;
  }
  if (*manual) fmt::print("{}", manual_page(app, KUMIKI_VERSION));
  if (*complete)
    fmt::print("{}", completion(app, shell == "bash"  ? Shell::bash
                                     : shell == "zsh" ? Shell::zsh
                                                      : Shell::fish));
  if (*layers) fmt::print("{}", layer_names(config, networks));
  if (json) return say(usage, "--json stands behind a command, or beside --version");
  if (!chosen) return ok;
  const Busy busy(options.quiet);
  SolverWatch watch(options.quiet, options.take_incumbent);
  flow::Context context(options.cache.empty() ? backends::Cache() : backends::Cache(options.cache));
  context.limits = options.limits;
  context.watcher = &watch;
  context.keeps_trees = chosen != bench;  // a bench is about the solver
  options.context = &context;
  Trace trace(options.trace, fmt::format("kumiki {}", app.get_subcommands().front()->get_name()));
  int code = ok;
  try {
    code = chosen(options);
  } catch (...) {
    try {
      trace.write();
    } catch (const std::exception&) {
      // What went wrong first is said, not that its trace cannot be written either.
    }
    throw;
  }
  trace.write();
  // What is still in the buffer may not fit on the disk.
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write to the standard output");
  return code;
}

// Of what has been thrown.
int explain() {
  try {
    throw;
  } catch (const gen::config::ConfigError& e) {
    fmt::print(stderr, "{}\n", e.what());
    return configuration;
  } catch (const Interrupted& e) {
    say(ok, "interrupted");
    return 128 + e.signal;
  } catch (const UsageError& e) {
    return say(usage, e.what());
  } catch (const ir::LimitError& e) {
    return say(configuration, e.what());
  } catch (const DesignError& e) {
    return say(design_failed, e.what());
  } catch (const FileError& e) {
    return say(files, e.what());
  } catch (const ToolError& e) {
    return say(files, e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    return say(files, e.what());
  } catch (const std::system_error& e) {
    // Of the standard output. A reader that has seen enough (`| head`) is told nothing.
    if (e.code() == std::errc::broken_pipe) return 128 + SIGPIPE;
    return say(files, e.what());
  } catch (const std::bad_alloc&) {
    return say(files, "there is not enough memory for this request");
  } catch (const std::length_error&) {
    return say(files, "there is not enough memory for this request");
  } catch (const std::exception& e) {
    return say(bug, fmt::format("a bug: {}", e.what()).c_str());
  }
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    // What fails because its tools were told to stop says nothing more.
    return ir::interrupted() ? 0 : explain();
  }
}

}  // namespace
}  // namespace kumiki::cli

int main(int argc, char** argv) {
  using namespace kumiki;
  cli::make_streams_safe();
  const backends::Signals signals;
  const int code = cli::guarded(argc, argv);
  const int signal = ir::interrupted();
  if (signal == 0) return code;
  fmt::print(stderr, "{}kumiki: interrupted\n", isatty(STDERR_FILENO) ? "\r\033[K" : "");
  return 128 + signal;
}
