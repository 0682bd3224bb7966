// SPDX-License-Identifier: Apache-2.0
// The relative placement of cascades and carry chains, as Tcl reads it, held against the netlist,
// as Yosys reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "backends/emit/project/placement.h"
#include "backends/emit/verilog/verilog.h"
#include "backends/support/process.h"
#include "ir/text.h"
#include "tests/support/program.h"

namespace kumiki::test {
namespace placement_test {

using nlohmann::json;
using ::testing::HasSubstr;
using Macros = std::map<std::string, std::vector<std::string>>;  // cells from below

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A wire between neighbours: bits from `low` on of an output, an input, their type.
struct Wire {
  const char *type, *output, *input;
  std::size_t low, width;
};
constexpr Wire wires[] = {{"DSP48E2", "PCOUT", "PCIN", 0, 48},
                          {"DSP48E2", "ACOUT", "ACIN", 0, 30},
                          {"DSP48E2", "BCOUT", "BCIN", 0, 18},
                          {"CARRY8", "CO", "CI", 7, 1},
                          {"CARRY4", "CO", "CI", 3, 1}};

// A primitive and the numbers of the nets on these pins.
struct Cell {
  std::string type;
  std::map<std::string, std::vector<json>> pins;
  std::vector<json> of(const char* pin, std::size_t low, std::size_t width) const {
    const auto at = pins.find(pin);
    if (at == pins.end() || at->second.size() < low + width) return {};
    const auto first = at->second.begin() + static_cast<std::ptrdiff_t>(low);
    return {first, first + static_cast<std::ptrdiff_t>(width)};
  }
};
using Netlist = std::map<std::string, Cell>;  // by path

class Placement : public InFolder {
 protected:
  Called generate(const std::string& configuration, const std::string& more = {}) const {
    return kumiki("gen " + configuration + " " + more + " -o " + path("out"));
  }

  // What Vivado would be told: the macros of a file, which is a Tcl script.
  Macros read_macros(const std::string& file) const {
    write("read.tcl", R"(
proc create_macro {name} {
  global macros
  if {[info exists macros($name)]} {error "$name is there already"}
  set macros($name) {}
}
proc update_macro {name places} {
  global macros
  if {![info exists macros($name)] || $macros($name) ne ""} {error "$name is not new"}
  set macros($name) $places
  foreach {cell place} $places {puts "$name $cell $place"}
}
source [lindex $argv 0]
)");
    const auto ran = backends::run_process({"tclsh", "read.tcl", file}, folder_);
    EXPECT_EQ(ran.status, 0) << ran.output;
    Macros macros;
    for (const auto& line : lines_of(ran.output)) {
      std::string name, cell, place;
      std::istringstream(line) >> name >> cell >> place;
      EXPECT_EQ(place, "X0Y" + std::to_string(macros[name].size())) << line;
      macros[name].push_back(cell);
    }
    return macros;
  }

  // The Verilog of out/, flat.
  Netlist read_netlist(const std::string& top) const {
    // Cells that this part of the library does not have stay as they are: we ask for names and
    // wires.
    std::string script = "read_verilog -lib +/xilinx/cells_sim.v\n";
    for (const auto& f : lines_of(text("out/" + top + ".f")))
      script += "read_verilog -DSYNTHESIS out/" + f + "\n";
    write("flat.ys", script + "hierarchy -top " + top + "\nproc\nflatten\nwrite_json flat.json\n");
    const auto ran = backends::run_process({"yosys", "-q", "flat.ys"}, folder_);
    EXPECT_EQ(ran.status, 0) << ran.output;
    Netlist netlist;
    const auto flat = json::parse(text("flat.json"));
    for (const auto& [name, cell] : flat["modules"][top]["cells"].items()) {
      Cell own{cell["type"], {}};
      for (const Wire& w : wires)
        if (own.type == w.type)
          for (const char* pin : {w.output, w.input})
            if (cell["connections"].contains(pin))
              own.pins[pin] = cell["connections"][pin].get<std::vector<json>>();
      auto path = name;
      std::replace(path.begin(), path.end(), '.', '/');
      if (!own.pins.empty()) netlist.emplace(path, std::move(own));
    }
    return netlist;
  }
};

// Pairs of cells, the lower one first, that a wire joins; a carry into two cells joins none.
std::set<std::pair<std::string, std::string>> neighbours(const Netlist& netlist,
                                                         const std::string& carry) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Wire& w : wires) {
    if (w.type != std::string("DSP48E2") && w.type != carry) continue;
    std::map<json, std::string> by_net;
    std::map<json, std::vector<std::string>> above;
    for (const auto& [path, cell] : netlist)
      if (cell.type == w.type)
        for (const auto& net : cell.of(w.output, w.low, 1)) by_net[net] = path;
    for (const auto& [path, cell] : netlist)
      if (cell.type == w.type)
        for (const auto& net : cell.of(w.input, 0, 1))
          if (by_net.contains(net)) above[net].push_back(path);
    for (const auto& [net, cells] : above)
      if (cells.size() == 1) pairs.emplace(by_net[net], cells[0]);
  }
  return pairs;
}

// Returns how many macros there are of DSP slices and of carries.
std::pair<std::size_t, std::size_t> expect_agreement(const Macros& macros, const Netlist& netlist,
                                                     const std::string& carry) {
  auto missing = neighbours(netlist, carry);
  std::set<std::string> seen;
  std::pair<std::size_t, std::size_t> count;
  for (const auto& [name, cells] : macros) {
    EXPECT_GT(cells.size(), 1u) << name;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_TRUE(seen.insert(cells[i]).second) << cells[i] << " stands in two places";
      const auto at = netlist.find(cells[i]);
      if (at == netlist.end()) {
        ADD_FAILURE() << name << ": there is no cell " << cells[i];
        continue;
      }
      const bool is_dsp = at->second.type == "DSP48E2";
      EXPECT_TRUE(is_dsp || at->second.type == carry) << name << ": " << at->second.type;
      EXPECT_THAT(name, HasSubstr(is_dsp ? "_dsp_" : "_carry_"));
      if (i == 0) {
        ++(is_dsp ? count.first : count.second);
        continue;
      }
      EXPECT_EQ(missing.erase({cells[i - 1], cells[i]}), 1u)
          << name << ": nothing leads from " << cells[i - 1] << " to " << cells[i];
      bool whole = false;
      const auto below = netlist.find(cells[i - 1]);
      for (const Wire& w : wires)
        if (below != netlist.end() && w.type == at->second.type)
          whole |= !below->second.of(w.output, w.low, w.width).empty() &&
                   below->second.of(w.output, w.low, w.width) == at->second.of(w.input, 0, w.width);
      EXPECT_TRUE(whole) << name << ": " << cells[i - 1] << ", " << cells[i];
    }
  }
  for (const auto& [below, above] : missing)
    ADD_FAILURE() << "no macro has " << above << " on " << below;
  return count;
}

TEST_F(Placement, EveryCascadeAndCarryChainOfTheGenerators) {
  struct Case {
    std::string configuration, top, carry;
  };
  const Case cases[] = {
      {"quickstart.json", "quickstart", "CARRY8"},
      {"edges.json", "edges", "CARRY8"},
      {config(R"({"kumiki": 1, "name": "seven", "target": {"family": "7series"},
        "layers": [{"type": "popcount", "bits": 64}]})"),
       "seven", "CARRY4"},
  };
  std::size_t dsps = 0, carries = 0;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.top);
    const auto made = generate(c.configuration, "--placement");
    ASSERT_EQ(made.status, 0) << made.err;
    const auto count = expect_agreement(read_macros("out/" + c.top + "_placement.xdc"),
                                        read_netlist(c.top), c.carry);
    dsps += count.first, carries += count.second;
    RecordProperty(c.top, std::to_string(count.first) + "+" + std::to_string(count.second));
  }
  EXPECT_GE(dsps, 3u);
  EXPECT_GE(carries, 3u);
}

// Through two levels of modules, with names that are words of Verilog; wires that look like
// neighbours and are none.
TEST_F(Placement, ColumnsRunThroughPorts) {
  const auto design = ir::parse(R"(
design ultrascale+ top "two storeys"
module slice
  input clk = %3
  input pcin = %4..51
  output pcout = %157..204
  output p = %107..154
  %52..213 = DSP48E2 "reg" CLK=%3 PCIN=%4..51
module pair
  input clk = %3
  input pcin = %4..51
  output pcout = %148..195
  output p = %100..147
  %52..147 = instance slice "begin" clk=%3 pcin=%4..51
  %148..243 = instance slice "Begin" clk=%3 pcin=%52..99
module "two storeys"
  input clk = %3
  input s = %4..11
  output p = %60..107
  output q = %156..203
  output r = %1055..1102
  output o = %2008..2015
  output forked = %2108..2115,%2124..2131,%2140..2147,%2156..2163,%2172..2179
  %12..107 = instance pair "low" clk=%3 pcin=open*48
  %108..203 = instance pair "high" clk=%3 pcin=%12..59
  %500..661 = DSP48E2 "a0" CLK=%3 A=%4..11,0*22
  %1000..1161 = DSP48E2 "a1" CLK=%3 ACIN=%500..529 A_INPUT=CASCADE
  %2000..2015 = CARRY8 "c1" CI=%2023 DI=0*8 S=%4..11
  %2016..2031 = CARRY8 "c0" DI=0*8 S=%4..11
  %2100..2115 = CARRY8 "f0" DI=0*8 S=%4..11
  %2116..2131 = CARRY8 "f1" CI=%2107 DI=0*8 S=%4..11
  %2132..2147 = CARRY8 "f2" CI=%2107 DI=0*8 S=%4..11
  %2148..2163 = CARRY8 "half" CI=%2003 DI=0*8 S=%4..11
  %2164..2171 = CARRY4 "g0" DI=0*4 S=%4..7
  %2172..2179 = CARRY4 "g1" CI=%2167 DI=0*4 S=%4..7
)");
  const ir::Names names(*design);
  backends::OutputSet files;
  backends::write_verilog(names, files);
  files.add("placement.xdc", backends::write_placement(names));
  files.commit(folder_ / "out");
  const auto macros = read_macros("out/placement.xdc");
  expect_agreement(macros, read_netlist("two_storeys"), "CARRY8");
  const Macros expected{
      {"two_storeys_dsp_0", {"a0", "a1"}},
      {"two_storeys_dsp_1",
       {"low/begin_1/reg_1", "low/Begin_2/reg_1", "high/begin_1/reg_1", "high/Begin_2/reg_1"}},
      {"two_storeys_carry_0", {"c0", "c1"}}};
  EXPECT_EQ(macros, expected);
}

TEST_F(Placement, TheScriptReadsItWhenSynthesisIsDone) {
  ASSERT_EQ(generate("quickstart.json").status, 0);
  const auto before = lines_of(text("out/quickstart_ooc.tcl"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/quickstart_placement.xdc"));
  ASSERT_EQ(generate("quickstart.json", "--placement").status, 0);
  expect_golden("project/quickstart_placement.xdc", text("out/quickstart_placement.xdc"));
  EXPECT_THAT(text("out/manifest.json"), HasSubstr("\"quickstart_placement.xdc\""));
  write("stand_in.tcl", R"(
foreach command {create_project read_verilog opt_design place_design route_design write_checkpoint
                 report_utilization report_timing_summary create_clock} {
  proc $command {args} "puts $command"
}
proc get_ports {name} {}
proc get_timing_paths {args} {}
proc synth_design {args} {puts synth_design}
proc read_xdc {args} {
  puts "read_xdc [file tail [lindex $args end]]"
  if {[lindex $args 0] ne "-mode"} {source [lindex $args 0]}
}
proc create_macro {name} {puts "create_macro $name"}
proc update_macro {args} {}
set argv {stop opt}
source out/quickstart_ooc.tcl
)");
  const auto ran = backends::run_process({"tclsh", "stand_in.tcl"}, folder_);
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output,
              HasSubstr("synth_design\ncreate_clock\nread_xdc quickstart_placement.xdc\n"
                        "create_macro quickstart_dsp_0\n"));
  // One line more, and none when the option is gone again.
  auto after = lines_of(text("out/quickstart_ooc.tcl"));
  EXPECT_EQ(std::erase_if(
                after, [](const auto& l) { return l.find("_placement.xdc") != std::string::npos; }),
            1u);
  EXPECT_EQ(after, before);
  ASSERT_EQ(generate("quickstart.json").status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/quickstart_placement.xdc"));
  EXPECT_EQ(lines_of(text("out/quickstart_ooc.tcl")), before);
}

// A design without columns has a file that says so; a run that writes no netlist has no option.
TEST_F(Placement, NothingToPlace) {
  const auto none = config(R"({"kumiki": 1, "name": "x", "layers": [{"type": "popcount", "bits": 3,
                               "pipeline": 0}]})");
  ASSERT_EQ(generate(none, "--placement").status, 0);
  EXPECT_THAT(text("out/x_placement.xdc"), HasSubstr("# There are none.\n"));
  EXPECT_TRUE(read_macros("out/x_placement.xdc").empty());
  EXPECT_EQ(kumiki("sim denoise.json --placement --image in.png -o " + path("x.png")).status, 2);
  EXPECT_EQ(kumiki("check quickstart.json --placement").status, 2);
}

}  // namespace placement_test
}  // namespace kumiki::test
