// SPDX-License-Identifier: Apache-2.0
// What a project is written as: netlist, file lists, pictures, report, manifest, all together or
// not at all.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/emit/project/vectors.h"
#include "backends/support/files.h"
#include "gen/flow/files/page.h"
#include "gen/flow/run.h"

namespace kumiki::flow {

std::string version();    // "0.1.0"
std::string generator();  // "kumiki 0.1.0", as it stands in outputs

// What not everybody wants.
struct Extras {
  std::uint64_t vectors = 0;  // so many cycles of golden vectors
  bool placement = false;     // relative placement for Vivado
  bool driver = false;        // C99 for frames through an AXI DMA
  bool cocotb = false;        // a testbench in Python that replays the golden vectors
};

// Pictures, by the name of their file, in place of those that a layer draws without a run.
using Redrawn = std::map<std::string, std::string>;

// Verilog with the primitive models beside it, and the report's sections that need no run.
// `recorded`: golden vectors in place of those of a stimulus. UsageError: no driver can be,
// or there are no vectors for a testbench.
Json add_netlist(const Project& project, backends::OutputSet& files, const Extras& extras,
                 const Run& run = {}, const backends::Vectors* recorded = nullptr,
                 const Redrawn& redrawn = {});
// Makes all that gen would write and throws it away, so that check refuses what gen refuses.
void write_nowhere(const Project& project);

// The pictures of every layer as LAYER.NAME.svg; returns the names of each layer's files.
std::vector<Json> add_pictures(const std::vector<gen::NamedLayer>& layers,
                               backends::OutputSet& files, const Redrawn& redrawn = {});

// Adds report.html, report.json and the manifest of `command`: what is left is to commit.
void add_report(const Project& project, backends::OutputSet& files, const Json& report,
                const std::string& command, const Source& source);

// FileError: something is there already, and `force` does not say that it may go. `option` named
// it.
void require_free(const std::filesystem::path& file, bool force, std::string_view option);

}  // namespace kumiki::flow
