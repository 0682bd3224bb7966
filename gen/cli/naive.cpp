// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/naive.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
                                 "-nodsp -noiopad -flatten -top {}; "
                                 "tee -q -o stat.json stat -json; write_json naive.json",
                                 name, behaviour.top)},
       .directory = folder.path(),
       .seconds = behaviour.seconds},
      "synthesize the behaviour");
  const auto stat = nlohmann::json::parse(backends::read_file(folder.path() / "stat.json"));
  Naive result;
  for (const auto& [type, n] : stat["design"]["num_cells_by_type"].items())
    if (type.starts_with("LUT") || type == "INV")
      result.luts += n.get<std::uint64_t>();
    else if (type == "CARRY4" || type == "CARRY8")
      result.carries += n.get<std::uint64_t>() * (type == "CARRY4" ? 4 : 8);
  result.timing = netlist_timing(backends::read_file(folder.path() / "naive.json"), behaviour.top);
  return result;
}

}  // namespace kumiki::cli
