// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/naive.h"

#include <fmt/format.h>

#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"

namespace kumiki::cli {

Naive naive(const Behaviour& behaviour, ir::Family family) {
  backends::TemporaryFolder folder;
  backends::write_file(folder.path() / "naive.v", behaviour.verilog);
  const char* name = family == ir::Family::series7 ? "xc7" : "xcup";
  backends::run_tool(
      {"yosys", "yosys"},
      {.arguments = {"-q", "-p",
                     fmt::format("read_verilog naive.v; synth_xilinx -family {} "
                                 "-nodsp -noiopad -flatten -top {}; write_json naive.json",
                                 name, behaviour.top)},
       .directory = folder.path(),
       .seconds = behaviour.seconds},
      "synthesize the behaviour");
  const NetlistFigures figures =
      netlist_figures(backends::read_file(folder.path() / "naive.json"), behaviour.top);
  Naive result{.timing = figures.timing};
  for (const auto& [type, n] : figures.cells)
    if (type.starts_with("LUT") || type == "INV")
      result.luts += n;
    else if (type == "CARRY4" || type == "CARRY8")
      result.carries += n * (type == "CARRY4" ? 4 : 8);
  return result;
}

}  // namespace kumiki::cli
