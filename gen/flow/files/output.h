// SPDX-License-Identifier: Apache-2.0
// The written files of a project: netlist, file lists, pictures, report and manifest. They are
// written all together or not at all.
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
std::string generator();  // "kumiki 0.1.0", for outputs

// Optional parts.
struct Extras {
  std::uint64_t vectors = 0;  // cycles of golden vectors
  bool placement = false;     // relative placement for Vivado
  bool driver = false;        // C99 for a host, through an AXI DMA or on an engine
  bool cocotb = false;        // a Python testbench that replays the golden vectors
};

// Pictures by file name that replace those a layer draws without a run.
using Redrawn = std::map<std::string, std::string>;

// Adds Verilog with the primitive models, and the report's sections that need no run. `recorded`:
// golden vectors that replace those of a stimulus. UsageError: no driver is possible, or a
// testbench has no vectors.
Json add_netlist(const Project& project, backends::OutputSet& files, const Extras& extras,
                 const Run& run = {}, const backends::Vectors* recorded = nullptr,
                 const Redrawn& redrawn = {});
// Generates everything that gen would write and discards it, so that check refuses whatever gen
// refuses.
void write_nowhere(const Project& project);

// Adds the pictures of every layer as LAYER.NAME.svg; returns the names of each layer's files.
std::vector<Json> add_pictures(const std::vector<gen::NamedLayer>& layers,
                               backends::OutputSet& files, const Redrawn& redrawn = {});

// Adds report.html, report.json and the manifest of `command`; then only the commit remains.
void add_report(const Project& project, backends::OutputSet& files, const Json& report,
                const std::string& command, const Source& source);

// FileError: the file exists and `force` is false. `option`: the option that named the file.
void require_free(const std::filesystem::path& file, bool force, std::string_view option);

}  // namespace kumiki::flow
