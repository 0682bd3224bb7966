// SPDX-License-Identifier: Apache-2.0
// Options that several commands have, each declared in one place.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "backends/support/files.h"
#include "gen/cli/command.h"
#include "gen/cli/number.h"
#include "gen/flow/files/output.h"
#include "gen/flow/project.h"
#include "gen/flow/run.h"

namespace kumiki::cli {

using flow::Plans;
using flow::Project;
using flow::Source;

// As long as a configuration may ask for.
inline constexpr Range<std::uint64_t> most_cycles{1, 1'000'000'000'000};
inline constexpr Range<unsigned> most_jobs{1, 256};
inline constexpr Range<double> any_clock{1.0, 2000.0};  // MHz
inline constexpr Range<int> factor_bits_of_channels{1, 26};

CLI::Option* add_json(CLI::App& app, bool& json);
CLI::Option* add_force(CLI::App& app, bool& force);
CLI::Option* add_replace(CLI::App& app, bool& force);  // of a command that writes one file
backends::FilesOfUser theirs(bool force);              // as --force says
void add_jobs(CLI::App& app, unsigned& jobs);
void add_grade(CLI::App& app, std::optional<int>& grade);

// Options of the cache, of the solver of compressor trees, and of the trace of where the time went.
void add_cache(CLI::App& app, Settings& settings);
void add_limits(CLI::App& app, Settings& settings);  // absurd requests are measured by them
CLI::Option* add_max_cells(CLI::App& app, Settings& settings);
void add_take_incumbent(CLI::App& app, Settings& settings);
void add_trace(CLI::App& app, Settings& settings);

// `networks`: trained ones are read too.
void add_source(CLI::App& app, Source& source, Settings& settings, bool networks = false);
// UsageError when the option is given: it says nothing about what the file is.
void without_use(bool given, std::string_view option, std::string_view what);
void add_axi_stream(CLI::App& app, Source& source);
flow::Reading reading_of(const Source& source, flow::Context& context);

// What gen, sim and synth write.
struct Output {
  std::string folder = "out";
  bool is_named = false;  // -o is given
  bool force = false;     // replace files of the user there
  bool json = false;      // machine-readable result on stdout
  flow::Extras extras = {};
};
void add_output(CLI::App& app, Output& output);

}  // namespace kumiki::cli
