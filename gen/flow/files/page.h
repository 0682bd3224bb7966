// SPDX-License-Identifier: Apache-2.0
// report.html of a project: adds what is not in the report.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "backends/support/files.h"
#include "gen/flow/project.h"

namespace kumiki::flow {

using Json = nlohmann::ordered_json;

// The configuration, and how to read it.
struct Source {
  std::string config;
  bool axi_stream = false;  // wrap layers with streams in AXI4-Stream ports
};

// `files`: the pictures that the report names.
std::string page(const Project& project, const Json& report, const backends::OutputSet& files,
                 const Source& source);

// Quotes a word for a shell.
std::string shell_word(const std::string& word);

// The command that runs this configuration again, from its folder: `kumiki COMMAND FILE REST`.
std::string command_line(const Source& source, std::string_view command,
                         std::string_view rest = {});

}  // namespace kumiki::flow
