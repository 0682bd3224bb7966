// SPDX-License-Identifier: Apache-2.0
// What gen, sim and synth write: netlist, file lists, report, manifest, all together or not at all.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "backends/emit/project/vectors.h"
#include "backends/support/files.h"
#include "gen/cli/options.h"

namespace kumiki::cli {

// Pictures, by the name of their file, in place of those that a layer draws without a run.
using Redrawn = std::map<std::string, std::string>;

// Verilog with the primitive models beside it, and the report's sections that need no run.
// `recorded`: golden vectors in place of those of a stimulus.
Json add_netlist(const Project& project, backends::OutputSet& files, const Output& output,
                 const flow::Run& run = {}, const backends::Vectors* recorded = nullptr,
                 const Redrawn& redrawn = {});
// Makes all that gen would write and throws it away, so that check refuses what gen refuses.
void write_nowhere(const Project& project);

// The pictures of every layer as LAYER.NAME.svg; returns the names of each layer's files.
std::vector<Json> add_pictures(const std::vector<gen::NamedLayer>& layers,
                               backends::OutputSet& files, const Redrawn& redrawn = {});

// Adds report.html, report.json and the manifest, writes everything below -o, prints the report.
void finish(const Project& project, backends::OutputSet& files, const Json& report,
            const std::string& command, const Source& source, const Output& output);

// The pictures and tables of a command into a folder that may have more: they are listed there.
void write_part(backends::OutputSet& files, const std::string& folder, const std::string& command,
                backends::FilesOfUser theirs);

// To stderr, since stdout is the answer: "2 files in pictures: a.packing.svg, b.packing.svg".
void say_written(const backends::OutputSet& files, const std::string& folder);

// FileError: something is there already, and `force` does not say that it may go. `option` named
// it.
void require_free(const std::filesystem::path& file, bool force, std::string_view option);

std::string generator();  // "kumiki 0.1.0", as it stands in outputs

}  // namespace kumiki::cli
