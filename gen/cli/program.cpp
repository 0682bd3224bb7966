// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/program.h"

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "backends/support/signals.h"
#include "gen/cli/busy.h"
#include "gen/cli/meant.h"
#include "gen/cli/streams.h"
#include "gen/cli/told.h"
#include "gen/cli/trace.h"
#include "gen/cli/watch.h"
#include "gen/config/document.h"
#include "gen/config/writer.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/output.h"
#include "gen/flow/messages.h"
#include "gen/layer/layer.h"
#include "ir/interrupt.h"
#include "ir/printable.h"

namespace kumiki::cli {
namespace {

constexpr const char* footer =
    "exit codes: 0 ok, 1 the design failed a check or a comparison, 2 usage, 3 configuration or a "
    "limit, 4 files or tools, 5 not everything is proved, 70 a bug in kumiki, "
    "130 interrupted (143 by TERM, 129 by HUP)";

int tell(const Told& told) {
  if (!told.text.empty()) fmt::print(stderr, "{}\n", printable_lines(told.text));
  return told.exit;
}

// CLI11 numbers the kinds of wrong usage.
Code code_of(const CLI::Error& e) {
  switch (static_cast<CLI::ExitCodes>(e.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      return code::missing_argument;
    case CLI::ExitCodes::ConversionError:
    case CLI::ExitCodes::ValidationError:
    case CLI::ExitCodes::ArgumentMismatch:
      return code::option_value;
    case CLI::ExitCodes::RequiresError:
      return code::option_needs;
    case CLI::ExitCodes::ExcludesError:
      return code::options_exclude;
    case CLI::ExitCodes::ExtrasError:
      return code::extra_argument;
    default:
      return code::usage;
  }
}

// An empty value would have the same effect as leaving out the option.
void require_no_empty(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    require_no_empty(*command);
    for (const CLI::Option* o : command->get_options())
      if (o->get_items_expected_max() == 1 &&
          std::ranges::find(o->results(), std::string()) != o->results().end())
        throw UsageError(
            code::option_value,
            o->get_name() + ": the value must not be empty; " +
                (o->get_required() ? "give a name" : "give a name, or leave out the option"));
  }
}

// The disk may be too full for what is still in the buffers.
int flushed(int code) {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write to the standard output");
  return code;
}

// What a command writes besides its trace.
std::vector<std::filesystem::path> outputs_of(const CLI::App& command) {
  std::vector<std::filesystem::path> all;
  for (const char* name : {"--out", "--output", "--tensors", "--picture", "--pictures"})
    if (const CLI::Option* o = command.get_option_no_throw(name))
      for (const std::string& path :
           o->count() > 0 ? o->results() : std::vector{o->get_default_str()})
        if (!path.empty()) all.emplace_back(path);
  return all;
}

int run(const Program& program, int argc, char** argv) {
  CLI::App app{program.description, program.name};
  // Declared before --version, because parsing ends at --version.
  bool json = false;
  app.add_flag("--json", json, "with --version: it and the versions of formats as JSON");
  app.set_version_flag("--version", fmt::format("{} {}", program.name, flow::version()));
  app.footer(footer);
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return printable_lines(said(e.what(), code_of(e))) +
           "\nRun with --help for more information.\n";
  });
  app.get_formatter()->column_width(28);
  Settings settings{.line = {argv, static_cast<std::size_t>(argc)}};
  const auto chosen = std::make_shared<Run>();
  add_commands(app, program.commands, settings, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& e) {
    if (!json) return flushed(app.exit(e));
    gen::config::Writer w;
    w.object([&] {
      w.member("program", program.name);
      w.member("version", flow::version());
      w.member("configuration", gen::config::format_version);
      w.member("report", backends::report_version);
      w.member("manifest", backends::manifest_version);
    });
    fmt::print("{}\n", w.printed());
    return flushed(ok);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0)
      if (const auto error = what_was_meant(app, argc, argv)) return tell(told(usage, *error));
    // In CLI11's own exit codes, help and version are 0; all others mean wrong usage.
    return flushed(app.exit(e) == 0 ? ok : usage);
  }
  require_no_empty(app);
  if (json)
    throw UsageError(code::usage, "--json must follow a command, or stand beside --version");
  const Busy busy;
  SolverWatch watch(settings.take_incumbent);
  flow::Context context(settings.cache.empty() ? backends::Cache()
                                               : backends::Cache(settings.cache));
  context.limits = settings.limits;
  context.watcher = &watch;
  context.keeps_trees = program.keeps_trees;
  const CLI::App& command = *app.get_subcommands().front();
  auto outputs = outputs_of(command);
  if (!settings.cache.empty()) outputs.push_back(context.cache().store());
  Trace trace(settings.trace, fmt::format("{} {}", program.name, command.get_name()), outputs);
  int code = ok;
  try {
    code = (*chosen)(context);
  } catch (...) {
    try {
      trace.write();
    } catch (const std::exception&) {
      // Only the first error is reported, not that the trace could not be written either.
    }
    throw;
  }
  trace.write();
  return flushed(code);
}

int guarded(const Program& program, int argc, char** argv) {
  try {
    return run(program, argc, argv);
  } catch (...) {
    // If a command failed because its tools were stopped, no message is printed.
    return ir::interrupted() ? 0 : tell(told());
  }
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  make_streams_safe();
  const backends::Signals signals;
  const int code = guarded(program, argc, argv);
  const int signal = ir::interrupted();
  if (signal == 0) return code;
  fmt::print(stderr, "{}kumiki: interrupted\n", isatty(STDERR_FILENO) ? "\r\033[K" : "");
  return 128 + signal;
}

}  // namespace kumiki::cli
