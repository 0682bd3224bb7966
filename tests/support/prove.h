// SPDX-License-Identifier: Apache-2.0
// Yosys' proof that a netlist does what a module `gold` of plain Verilog says.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/emit/verilog_netlist.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"
#include "ir/design.h"

namespace kumiki::test {

// True when Yosys proves it, false when it finds a counterexample.
inline bool prove(const ir::Design& design, const std::string& gold) {
  backends::TemporaryFolder folder;
  const auto netlist = backends::verilog_netlist(design);
  std::string reads;
  for (const auto& sources : {netlist.sources, backends::primitive_models(netlist.primitives)})
    for (const auto& name : backends::write_sources(sources, folder.path()))
      reads += fmt::format("read_verilog {}; ", name);
  backends::write_file(folder.path() / "gold.v", gold);
  auto result = backends::run_process(
      {"yosys", "-q", "-p",
       fmt::format("{}read_verilog gold.v; hierarchy -check; proc; flatten; opt; "
                   "miter -equiv -flatten -make_assert gold {} miter; hierarchy -top miter; "
                   "sat -verify -prove-asserts miter",
                   reads, netlist.top)},
      folder.path());
  const bool proved = result.status == 0;
  EXPECT_TRUE(proved || result.output.find("proof did fail") != std::string::npos) << result.output;
  return proved;
}

}  // namespace kumiki::test
