// SPDX-License-Identifier: Apache-2.0
#include "backends/proof/circuit.h"

#include <fmt/format.h>

#include <stdexcept>

#include "backends/process.h"
#include "backends/tool.h"
#include "templates/templates.h"

namespace kumiki::backends::proof {
namespace {

// The product of a slice is that of its lanes: D times B and A times B are written apart, which
// changes no value (templates/proof/dsp48e2_product.v).
void write_product_apart(std::string& model) {
  constexpr std::string_view plain =
      "assign product = {{18{a_mult[26]}}, a_mult} * {{27{b_mult[17]}}, b_mult};";
  const auto at = model.find(plain);
  if (at == std::string::npos) throw std::logic_error("DSP48E2.v: the product has moved");
  model.replace(at, plain.size(), templates::text("proof/dsp48e2_product.v"));
}

}  // namespace

Circuit circuit_of(const std::vector<VerilogSource>& sources, const std::string& top,
                   unsigned seconds) {
  const Tool yosys{"yosys", "yosys"};
  const TemporaryFolder folder;
  std::string reads;
  for (const auto& name : write_sources(sources, folder.path()))
    reads += fmt::format("read_verilog {}; ", name);
  write_file(folder.path() / "arithmetic.v", templates::text("proof/arithmetic.v"));
  run_tool(yosys,
           {.arguments = {"-q", "-p",
                          fmt::format(
                              "{}hierarchy -check -top {}; proc; flatten; opt_clean; memory_map; "
                              "techmap -map arithmetic.v -map +/techmap.v; opt_clean; "
                              "setundef -zero -undriven; async2sync; dffunmap; aigmap; "
                              "opt_clean; write_aiger -ascii -symbols -zinit circuit.aag",
                              reads, top)},
            .directory = folder.path(),
            .seconds = seconds},
           fmt::format("make gates of {}", top));
  return read_circuit(read_file(folder.path() / "circuit.aag"));
}

Circuit circuit_of(const ir::Design& design, unsigned seconds) {
  const auto netlist = verilog_netlist(design);
  auto sources = primitive_models(netlist.primitives);
  for (auto& s : sources)
    if (s.name == "DSP48E2.v" || s.name.ends_with("/DSP48E2.v")) write_product_apart(s.text);
  sources.insert(sources.end(), netlist.sources.begin(), netlist.sources.end());
  return circuit_of(sources, netlist.top, seconds);
}

}  // namespace kumiki::backends::proof
