// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "backends/support/signals.h"
#include "gen/cli/busy.h"
#include "gen/cli/commands.h"
#include "gen/cli/meant.h"
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
  app.footer(footer);
  app.get_formatter()->column_width(28);
  Settings settings{.line = {argv, static_cast<std::size_t>(argc)}};
  const auto chosen = std::make_shared<Run>();
  const Command commands[] = {check_command(),      plan_command(),       generate_command(),
                              simulate_command(),   synthesize_command(), prove_command(),
                              show_command(),       bench_command(),      cost_command(),
                              cache_command(),      picture_command(),    schema_command(),
                              list_command(),       reduce_command(),     manual_command(),
                              completion_command(), layers_command()};
  add_commands(app, commands, settings, chosen);
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
  if (json) return say(usage, "--json stands behind a command, or beside --version");
  const Busy busy;
  SolverWatch watch(settings.take_incumbent);
  flow::Context context(settings.cache.empty() ? backends::Cache()
                                               : backends::Cache(settings.cache));
  context.limits = settings.limits;
  context.watcher = &watch;
  Trace trace(settings.trace, fmt::format("kumiki {}", app.get_subcommands().front()->get_name()));
  int code = ok;
  try {
    code = (*chosen)(context);
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
