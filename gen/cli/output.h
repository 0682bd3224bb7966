// SPDX-License-Identifier: Apache-2.0
// Writes and reports the output of gen, sim and synth.
#pragma once
#include <string>
#include <string_view>

#include "backends/support/files.h"
#include "gen/cli/options.h"
#include "gen/flow/files/output.h"

namespace kumiki::cli {

// Adds report.html, report.json and the manifest, writes everything below -o, and prints the
// report.
void finish(const Project& project, backends::OutputSet& files, const Json& report,
            const std::string& command, const Source& source, const Output& output);

// Writes without adding anything.
void write(const Project& project, const backends::OutputSet& files, const Json& report,
           const Output& output);

// Writes the pictures and tables of a command into a folder that may have other files; adds them to
// its list.
void write_part(backends::OutputSet& files, const std::string& folder, const std::string& command,
                backends::FilesOfUser theirs);

// Reports on stderr, since stdout holds the answer: "2 files in pictures: a.packing.svg,
// b.packing.svg".
void say_written(const backends::OutputSet& files, const std::string& folder);

}  // namespace kumiki::cli
