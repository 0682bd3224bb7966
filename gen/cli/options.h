// SPDX-License-Identifier: Apache-2.0
// Options that several commands share, each declared in one place.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "backends/support/files.h"
#include "gen/cli/command.h"
#include "gen/cli/number.h"
#include "gen/flow/files/output.h"
#include "gen/flow/project.h"
#include "gen/flow/run.h"
#include "ir/arch.h"

namespace kumiki::cli {

using flow::Plans;
using flow::Project;
using flow::Source;

// The most that a configuration may request.
inline constexpr Range<std::uint64_t> most_cycles{1, 1'000'000'000'000};
inline constexpr Range<unsigned> most_jobs{1, 256};
inline constexpr Range<double> any_clock{1.0, 2000.0};  // MHz
inline constexpr Range<int> factor_bits_of_channels{1, ir::arch::dsp48e2.factor_bits()};

CLI::Option* add_json(CLI::App& app, bool& json);
CLI::Option* add_force(CLI::App& app, bool& force);
CLI::Option* add_replace(CLI::App& app, bool& force);  // for a command that writes one file
backends::FilesOfUser theirs(bool force);              // follows --force
void add_jobs(CLI::App& app, unsigned& jobs);
CLI::Option* add_batch(CLI::App& app, std::optional<std::int64_t>& images);
void add_grade(CLI::App& app, std::optional<int>& grade);
// --mean and --std, what pixels are scaled by; each is one value, or one a channel.
struct Scaling {
  CLI::Option *mean, *deviation;
};
Scaling add_scaling(CLI::App& app, std::vector<double>& mean, std::vector<double>& deviation);

// Options of the cache, of the solver of compressor trees, and of the trace of time.
void add_cache(CLI::App& app, Settings& settings);
void add_limits(CLI::App& app, Settings& settings);  // limits that catch absurd requests
CLI::Option* add_max_cells(CLI::App& app, Settings& settings);
void add_take_incumbent(CLI::App& app, Settings& settings);
void add_trace(CLI::App& app, Settings& settings);

// `networks`: also accept trained ones.
void add_source(CLI::App& app, Source& source, Settings& settings, bool networks = false);
// UsageError if the option is given although it has no effect on this kind of file.
void without_use(bool given, std::string_view option, std::string_view what);
void add_axi_stream(CLI::App& app, Source& source);
flow::Reading reading_of(const Source& source, flow::Context& context);

// The output of gen, sim and synth.
struct Output {
  std::string folder = "out";
  bool is_named = false;  // -o is given
  bool force = false;     // replace the user's files there
  bool json = false;      // machine-readable result on stdout
  flow::Extras extras = {};
};
void add_output(CLI::App& app, Output& output);

}  // namespace kumiki::cli
