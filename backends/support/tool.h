// SPDX-License-Identifier: Apache-2.0
// External programs: their location, their package and their error messages.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/process.h"
#include "ir/error.h"

namespace kumiki::backends {

struct Tool {
  std::string program;
  std::string package;  // of Debian
};

// The tool took longer than its run allows.
struct TimeIsUp : ToolError {
  using ToolError::ToolError;
};

// The file in PATH; ToolError with the package if there is none.
std::filesystem::path require(const Tool& tool);

struct ToolRun {
  std::vector<std::string> arguments;
  std::filesystem::path directory = {};  // working directory
  unsigned seconds = 1800;               // a longer run fails; 0: no time is left
};

// The tool's output. ToolError with the relevant lines if it failed, TimeIsUp if it was stopped;
// `doing` completes "verilator could not …".
std::string run_tool(const Tool& tool, const ToolRun& run, std::string_view doing);

// How a program ended, in words: its exit status, a signal, our time limit.
std::string how_it_ended(const ProcessResult& result);

// Lines with errors and warnings and their context, or else the last lines.
std::string relevant_lines(std::string_view output, std::size_t most = 24);

// Replaces every @KEY@ of a template, except in the inserted texts; std::out_of_range for a missing
// key.
struct Filling {
  std::string_view key;
  std::string text;
};
std::string fill(std::string_view text, const std::vector<Filling>& fillings);

// A value change dump without its creation time.
std::string without_date(std::string vcd);

}  // namespace kumiki::backends
