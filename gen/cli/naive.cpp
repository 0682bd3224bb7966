// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/naive.h"

#include <fmt/format.h>

#include "backends/emit/yosys/family.h"
#include "backends/emit/yosys/mapped.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"

namespace kumiki::cli {

NaiveFigures naive(const Behaviour& behaviour, ir::Family family) {
  backends::TemporaryFolder folder;
  backends::write_file(folder.path() / "naive.v", behaviour.verilog);
  // Both variants are equal until LUTs are mapped. Read only the library of cells that Yosys maps
  // to: reading the other one takes as long as all the rest.
  const std::string synth = fmt::format("synth_xilinx -family {} -nodsp -noiopad -flatten -top {}",
                                        backends::yosys_family(family), behaviour.top);
  backends::run_tool(
      {"yosys", "yosys"},
      {.arguments = {"-q", "-p",
                     fmt::format(
                         "read_verilog naive.v; read_verilog -lib -specify +/xilinx/cells_sim.v; "
                         "hierarchy -check -top {1}; {0} -run prepare:map_luts; design -save both; "
                         "{0} -run map_luts:; write_json wide.json; "
                         "design -load both; "
                         "{0} -nowidelut -run map_luts:; write_json narrow.json",
                         synth, behaviour.top)},
       .directory = folder.path(),
       .seconds = behaviour.seconds},
      "synthesize the behaviour");
  const auto figures = [&](const char* file) {
    return netlist_figures(
        *backends::mapped_design(backends::read_file(folder.path() / file), behaviour.top, family),
        {.pairs = true});
  };
  const NetlistFigures wide = figures("wide.json"), narrow = figures("narrow.json");
  return {.smaller = wide.luts < narrow.luts ? wide : narrow,
          .faster = wide.picoseconds < narrow.picoseconds ? wide : narrow};
}

}  // namespace kumiki::cli
