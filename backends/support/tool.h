// SPDX-License-Identifier: Apache-2.0
// Programs of others: where they are, which package has them, what they said when they failed.
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

// It took longer than its run allows.
struct TimeIsUp : ToolError {
  using ToolError::ToolError;
};

// The file that PATH leads to; ToolError naming the package when there is none.
std::filesystem::path require(const Tool& tool);

struct ToolRun {
  std::vector<std::string> arguments;
  std::filesystem::path directory = {};  // where it runs
  unsigned seconds = 1800;               // longer is a failure; 0: there is no time left
};

// What the tool printed. ToolError with the lines that matter when it failed, TimeIsUp when it was
// stopped; `doing` completes "verilator could not …".
std::string run_tool(const Tool& tool, const ToolRun& run, std::string_view doing);

// How a program ended, in words: its exit status, a signal, our time limit.
std::string how_it_ended(const ProcessResult& result);

// Lines that speak of errors and warnings with what belongs to them, or else the last ones.
std::string relevant_lines(std::string_view output, std::size_t most = 24);

// Replaces every @KEY@ of a template, but none in the texts that it puts in; std::out_of_range for
// a key that is not given.
struct Filling {
  std::string_view key;
  std::string text;
};
std::string fill(std::string_view text, const std::vector<Filling>& fillings);

// A value change dump without the time it was made.
std::string without_date(std::string vcd);

}  // namespace kumiki::backends
