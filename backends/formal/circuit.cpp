// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/circuit.h"

#include <fmt/format.h>

#include "backends/formal/two_clocks.h"
#include "backends/support/file.h"
#include "backends/support/process.h"
#include "backends/support/tool.h"
#include "templates/templates.h"

namespace kumiki::backends::proof {
namespace {

// Commands that keep internal nets: before additions become gates, and afterwards.
struct Exposed {
  std::string words, carries;
};
// Loops and indices have 32 bits, most of them constant, and a loop writes the same operators many
// times.
constexpr std::string_view narrow = "opt_expr; wreduce; opt_merge; opt_clean; ";
// A slice in a netlist is a complete model, but constants and registers that never change reduce it
// to little. Undriven nets are set to 0 first, so that Yosys cannot choose convenient values.
constexpr std::string_view folded = "setundef -zero -undriven; opt -fine; wreduce; opt -fine; ";
Exposed exposed(const Inside& inside, const std::string& top) {
  Exposed e{.words = std::string(inside.narrow ? narrow : folded), .carries = {}};
  if (inside.pins)
    e.words = fmt::format(
        "expose {0}/w:*.O {0}/w:*.O5 {0}/w:*.O6 {0}/w:*.CO {0}/w:*.S {0}/w:*.DI {0}/w:*.CI "
        "{0}/w:*.CYINIT; ",
        top);
  if (!inside.additions) return e;
  e.words += fmt::format("rename -enumerate -pattern word.% {}/w:$*_Y; ", top);
  for (const auto& word : inside.words)
    e.words += fmt::format("cd {0}; rename {1} sum.{1}; cd ..; ", top, word);
  e.words += fmt::format("expose {0}/w:word.* {0}/w:sum.*; ", top);
  e.carries = fmt::format(
      "rename -enumerate -pattern carry.% {0}/w:$*.CO; rename -enumerate -pattern total.% "
      "{0}/w:$*.total; expose {0}/w:carry.* {0}/w:total.*; ",
      top);
  return e;
}

}  // namespace

Circuit circuit_of(const std::vector<VerilogSource>& sources, const std::string& top,
                   unsigned seconds, const Inside& inside) {
  const Tool yosys{"yosys", "yosys"};
  const TemporaryFolder folder;
  const auto nets = exposed(inside, top);
  // Every cleaning looks at all nets: those that only have a name go, where nobody asks for nets.
  const bool has_nets = inside.pins || inside.additions;
  for (const std::string path : {"proof/arithmetic.v", "proof/dsp48e2_product.v"})
    write_sources({{path, std::string(templates::text(path))}}, folder.path());
  std::string reads = "verilog_defines -DKUMIKI_PROOF; read_verilog proof/dsp48e2_product.v; ";
  for (const auto& name : write_sources(sources, folder.path()))
    reads += fmt::format("read_verilog{} {}; ", name.ends_with(".sv") ? " -sv" : "", name);
  run_tool(yosys,
           {.arguments = {"-q", "-p",
                          fmt::format(
                              "{}hierarchy -check -top {}; proc; flatten; opt_clean{}; memory_map; "
                              "{}techmap -map proof/arithmetic.v -map +/techmap.v; {}opt_clean; "
                              "setundef -zero -undriven; async2sync; dffunmap; aigmap; "
                              "write_aiger -ascii -symbols -zinit circuit.aag",
                              reads, top, has_nets ? "" : " -purge", nets.words, nets.carries)},
            .directory = folder.path(),
            .seconds = seconds},
           fmt::format("make gates of {}", top));
  return read_circuit(read_file(folder.path() / "circuit.aag"));
}

Circuit circuit_of(const ir::Design& design, unsigned seconds, const Inside& inside) {
  if (ir::has_fast_clock(design.top()))
    return two_steps(circuit_of(*on_one_clock(design), seconds, inside));
  const auto netlist = verilog_netlist(design);
  auto sources = primitive_models(netlist.primitives);
  sources.insert(sources.end(), netlist.sources.begin(), netlist.sources.end());
  return circuit_of(sources, netlist.top, seconds, inside);
}

}  // namespace kumiki::backends::proof
