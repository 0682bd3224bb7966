// SPDX-License-Identifier: Apache-2.0
// What gen, sim and synth write and say of it.
#pragma once
#include <string>
#include <string_view>

#include "backends/support/files.h"
#include "gen/cli/options.h"
#include "gen/flow/files/output.h"

namespace kumiki::cli {

// Adds report.html, report.json and the manifest, writes everything below -o, prints the report.
void finish(const Project& project, backends::OutputSet& files, const Json& report,
            const std::string& command, const Source& source, const Output& output);

// Without adding anything.
void write(const Project& project, const backends::OutputSet& files, const Json& report,
           const Output& output);

// The pictures and tables of a command into a folder that may have more: they are listed there.
void write_part(backends::OutputSet& files, const std::string& folder, const std::string& command,
                backends::FilesOfUser theirs);

// To stderr, since stdout is the answer: "2 files in pictures: a.packing.svg, b.packing.svg".
void say_written(const backends::OutputSet& files, const std::string& folder);

}  // namespace kumiki::cli
