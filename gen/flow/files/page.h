// SPDX-License-Identifier: Apache-2.0
// report.html of a project: what only the program knows beside the report.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "backends/support/files.h"
#include "gen/flow/project.h"

namespace kumiki::flow {

using Json = nlohmann::ordered_json;

// The configuration, and how it is read.
struct Source {
  std::string config;
  bool axi_stream = false;  // layers with streams between AXI4-Stream ports
};

// `files` holds the pictures that the report names.
std::string page(const Project& project, const Json& report, const backends::OutputSet& files,
                 const Source& source);

// A word as a shell takes it.
std::string shell_word(const std::string& word);

// The command that runs this configuration again, typed in its folder: `kumiki COMMAND FILE REST`.
std::string command_line(const Source& source, std::string_view command,
                         std::string_view rest = {});

}  // namespace kumiki::flow
