// SPDX-License-Identifier: Apache-2.0
// A netlist as a block of block designs: component.xml, the script that packages it, what two
// clocks need. tests/block_design holds the documents to the standard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "backends/support/process.h"
#include "tests/support/program.h"
#include "tests/support/small_network.h"

namespace kumiki::test {
namespace component_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class ComponentXml : public InFolder {
 protected:
  void generate(const std::string& layers, const std::string& options, const std::string& out,
                const std::string& more = "") {
    const auto r = kumiki(
        "gen " + config(R"({"kumiki": 1, "name": "n", "layers": [)" + layers + "]" + more + "}") +
        " " + options + " -o " + path(out));
    ASSERT_EQ(r.status, 0) << r.err;
  }
  // The script on commands that stand in for Vivado's and say how they were called.
  std::string package(const std::string& settings, int status = 0,
                      const std::string& vlnv = "kumiki:netlist:n:0.1") {
    return run_on(R"(
foreach command {create_project ipx::create_xgui_files ipx::update_checksums
                 ipx::check_integrity ipx::save_core ipx::archive_core} {
  namespace eval ipx {}
  proc $command {args} "puts \"$command \$args\""
}
proc ipx::open_core {file} {puts "ipx::open_core $file"; return core}
proc get_property {name of} {return )" +
                      vlnv + R"(}
)",
                  "out/n_package.tcl " + settings, status);
  }
  // The script of a block design, on commands that stand in for Vivado's.
  std::string design(const std::string& script, const std::string& settings, int status,
                     const std::string& boards, const std::string& slack) {
    return run_on(R"(
foreach command {create_project set_property update_ip_catalog create_bd_design apply_bd_automation
                 connect_bd_net connect_bd_intf_net assign_bd_address validate_bd_design
                 save_bd_design add_files launch_runs wait_on_run open_run write_hw_platform
                 write_bitstream} {
  proc $command {args} "puts \"$command \$args\""
}
foreach command {get_bd_pins get_bd_cells get_bd_intf_pins get_bd_addr_spaces get_bd_addr_segs get_files get_runs
                 get_timing_paths} {
  proc $command {args} {return $args}
}
proc get_board_parts {args} {return {)" +
                      boards +
                      R"(}}
proc current_project {} {return project}
proc current_fileset {} {return fileset}
proc create_bd_cell {args} {puts "create_bd_cell $args"; return [lindex $args end]}
proc make_wrapper {args} {return wrapper.v}
proc get_property {name of} {
  switch $name { PROGRESS {return 100%} SLACK {return )" +
                      slack +
                      R"(} default {return ended} }
}
)",
                  "out/" + script + " " + settings, status);
  }
  // Every pin that has been connected, with what is at the other end.
  static std::multimap<std::string, std::string> connected(const std::string& output) {
    std::multimap<std::string, std::string> all;
    const std::regex line(R"(connect_bd(_intf)?_net (\S+) (\S+))");
    for (std::sregex_iterator i(output.begin(), output.end(), line), end; i != end; ++i) {
      all.emplace((*i)[2], (*i)[3]);
      all.emplace((*i)[3], (*i)[2]);
    }
    return all;
  }
  // A script on `commands`.
  std::string run_on(const std::string& commands, const std::string& words, int status) {
    std::ofstream(folder_ / "stand_in.tcl") << commands << R"(
set script [lindex $argv 0]
set argv [lrange $argv 1 end]
source $script
)";
    const auto r = backends::run_process({"bash", "-c", "tclsh stand_in.tcl " + words}, folder_);
    EXPECT_EQ(r.status, status) << r.output;
    return r.output;
  }
};

TEST_F(ComponentXml, StreamsRegistersClockAndReset) {
  write("net.graph", small_network());
  generate(R"({"type": "dataflow", "name": "s", "graph": "net.graph", "clocks": 324,
               "input_last": true, "counters": "edges"})",
           "--axi-stream", "out");
  expect_golden("project/component.xml", text("out/component.xml"));
  EXPECT_THAT(text("out/manifest.json"), HasSubstr("component.xml"));
  EXPECT_THAT(text("out/manifest.json"), HasSubstr("n_package.tcl"));
  EXPECT_FALSE(fs::exists(folder_ / "out/n_crossings.xdc"));  // one clock

  const auto said = package("results blocks part xc7k160tfbg484-1");
  EXPECT_EQ(said,
            "create_project -in_memory -part xc7k160tfbg484-1\n"
            "ipx::open_core blocks/n/component.xml\n"
            "ipx::create_xgui_files core\nipx::update_checksums core\n"
            "ipx::check_integrity core\nipx::save_core core\n"
            "ipx::archive_core blocks/n.zip core\n"
            "kumiki:netlist:n:0.1: blocks/n/component.xml\n");
  // Every file of the document is in the folder, and no other.
  const auto document = text("out/component.xml");
  std::set<std::string> named{"component.xml"}, copied;
  const std::regex file("<spirit:name>([^<]*\\.(v|xdc))<");
  for (std::sregex_iterator m(document.begin(), document.end(), file), end; m != end; ++m)
    named.insert((*m)[1]);
  for (const auto& f : fs::recursive_directory_iterator(folder_ / "blocks/n"))
    copied.insert(fs::relative(f.path(), folder_ / "blocks/n").generic_string());
  EXPECT_EQ(copied, named);
  EXPECT_GT(named.size(), 5u);
  EXPECT_EQ(text("blocks/n/component.xml"), document);

  EXPECT_THAT(package("result blocks", 1), HasSubstr("result is no setting: part results are"));
  EXPECT_THAT(package("", 1, ":::"),
              HasSubstr("component.xml was read as ::: and not as kumiki:netlist:n:0.1"));
}

TEST_F(ComponentXml, WeightsOutsideComeThroughAMaster) {
  write("net.graph", small_network());
  generate(R"({"type": "dataflow", "name": "s", "graph": "net.graph", "clocks": 324,
               "weights_outside": "/4/Gemm", "memory_bits": 64})",
           "--axi-stream", "out");
  const auto document = text("out/component.xml");
  EXPECT_THAT(document,
              HasSubstr("<spirit:master>\n"
                        "        <spirit:addressSpaceRef spirit:addressSpaceRef=\"s_m_axi\"/>\n"
                        "      </spirit:master>"));
  EXPECT_THAT(document, HasSubstr("  <spirit:addressSpaces>\n"
                                  "    <spirit:addressSpace>\n"
                                  "      <spirit:name>s_m_axi</spirit:name>\n"
                                  "      <spirit:range>1099511627776</spirit:range>\n"
                                  "      <spirit:width>64</spirit:width>\n"
                                  "    </spirit:addressSpace>\n"
                                  "  </spirit:addressSpaces>\n"));
  EXPECT_THAT(document, HasSubstr(">s_s_axis_in:s_m_axis_out:s_m_axi<"));
  EXPECT_THAT(document, Not(HasSubstr("memoryMap")));
  EXPECT_THAT(text("out/n.v"),
              HasSubstr("PROTOCOL AXI4, READ_WRITE_MODE READ_ONLY, DATA_WIDTH 64, ADDR_WIDTH 40"));
}

TEST_F(ComponentXml, TwoClocks) {
  generate(R"({"type": "dot", "name": "d", "terms": 4, "clocking": "double"})", "--axi-stream",
           "out");
  const auto document = text("out/component.xml");
  EXPECT_THAT(text("out/n.v"), HasSubstr("xilinx.com:signal:clock:1.0 clk2x CLK"));
  EXPECT_THAT(document, HasSubstr("<spirit:clockPeriod>4.000</spirit:clockPeriod>"));
  EXPECT_THAT(document, HasSubstr("<spirit:clockPeriod>2.000</spirit:clockPeriod>"));
  EXPECT_THAT(document, HasSubstr("twice the frequency of clk, in phase with it"));
}

TEST_F(ComponentXml, OnlyWhereThereAreStreams) {
  const std::string dot = R"({"type": "dot", "name": "d", "terms": 4})";
  generate(dot, "--axi-stream", "out");
  EXPECT_TRUE(fs::exists(folder_ / "out/component.xml"));
  EXPECT_TRUE(fs::exists(folder_ / "out/n_package.tcl"));
  generate(dot, "", "out");
  EXPECT_FALSE(fs::exists(folder_ / "out/component.xml"));
  EXPECT_FALSE(fs::exists(folder_ / "out/n_package.tcl"));
  EXPECT_THAT(text("out/n.v"), Not(HasSubstr("X_INTERFACE")));
}

// The script of a board on commands that stand in for Vivado's.
class BoardScript : public ComponentXml {
 protected:
  void engine(const std::string& clocking,
              const std::string& size = R"("rows": 8, "columns": 4, "places": 256, "ring": 32)") {
    generate(R"({"type": "engine", "name": "e", "ports": "memory", "clocking": ")" + clocking +
                 "\", " + size + "}",
             "", "out");
  }
  std::string run(const std::string& settings, int status = 0,
                  const std::string& boards = "a:b:c:1.0", const std::string& slack = "0.1") {
    return design("n_board.tcl", settings, status, boards, slack);
  }
};

TEST_F(BoardScript, ConnectsEveryPinOfTheEngine) {
  for (const bool is_double : {false, true}) {
    engine(is_double ? "double" : "single");
    const auto output = run("board zu stop design", 1);
    EXPECT_THAT(output, HasSubstr("zu is no board: aup-zu3 kv260 ultra96v2 zcu104 are"));
    for (const std::string board : {"kv260", "zcu104", "ultra96v2", "aup-zu3"}) {
      const auto pins = connected(run("board " + board + " stop design"));
      // All interfaces of the component, each of them once.
      const std::string component = text("out/component.xml");
      const std::regex name("<spirit:busInterface>\\s*<spirit:name>([^<]+)<");
      std::size_t found = 0;
      for (std::sregex_iterator i(component.begin(), component.end(), name), end; i != end; ++i) {
        EXPECT_EQ(pins.count("engine/" + (*i)[1].str()), 1U) << (*i)[1] << " on " << board;
        ++found;
      }
      EXPECT_EQ(found, is_double ? 6U : 5U);
      // Nothing has two drivers, but what drives several.
      const std::set<std::string> drivers{"ps/pl_clk0", "ps/pl_resetn0", "clocks/clk_out1",
                                          "resets/interconnect_aresetn"};
      for (const auto& [pin, other] : pins)
        EXPECT_TRUE(pins.count(pin) == 1 || drivers.contains(pin)) << pin;
      EXPECT_EQ(pins.contains("clocks/clk_out2"), is_double);
    }
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(BoardScript, APortOfFewerBitsThanAWordHasAClockOfItsOwn) {
  for (const bool is_double : {false, true}) {
    engine(is_double ? "double" : "single",
           R"("rows": 32, "columns": 8, "places": 256, "ring": 32, "bus": 32)");
    const std::string number = is_double ? "3" : "2", clock = "clocks/clk_out" + number;
    const auto output = run("board kv260 stop design port 250");
    EXPECT_THAT(output, HasSubstr("CLKOUT" + number + "_REQUESTED_OUT_FREQ 250"));
    EXPECT_THAT(output, HasSubstr("CONFIG.NUM_CLKS 2 memory"));
    const auto pins = connected(output);
    for (const std::string pin : {"ps/saxihp0_fpd_aclk", "memory/aclk1"}) {
      ASSERT_EQ(pins.count(pin), 1U) << pin;
      EXPECT_EQ(pins.find(pin)->second, clock);
    }
    EXPECT_EQ(pins.find("memory/aclk")->second, "clocks/clk_out1");
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(BoardScript, WritesWhatAHostNeeds) {
  engine("double");
  fs::create_directories(folder_ / "board/project/n.gen/sources_1/bd/system/hw_handoff");
  std::ofstream(folder_ / "board/project/n.gen/sources_1/bd/system/hw_handoff/system.hwh") << "x";
  const auto output = run("board kv260 mhz 200");
  EXPECT_THAT(output, HasSubstr("CLKOUT1_REQUESTED_OUT_FREQ 200"));
  EXPECT_THAT(output, HasSubstr("CLKOUT2_REQUESTED_OUT_FREQ 400"));
  EXPECT_THAT(output, HasSubstr("-offset 0xA0000000 -range 4K"));
  EXPECT_THAT(output, HasSubstr("create_bd_cell -type ip -vlnv kumiki:netlist:n:0.1 engine"));
  EXPECT_TRUE(fs::exists(folder_ / "board/n.hwh"));
  EXPECT_THAT(text("out/n.dtsi"), HasSubstr("reg = <0x0 0xa0000000 0x0 0x1000>;"));
  EXPECT_THAT(run("board kv260", 1, "a:b:c:1.0", "-0.25"),
              HasSubstr("the clock is missed by -0.25 ns: set a lower mhz"));
  EXPECT_THAT(run("board kv260", 1, ""), HasSubstr("Vivado has no board files of kv260"));
  EXPECT_THAT(run("stop never", 1), HasSubstr("stop is never: it must be design or results"));
  EXPECT_THAT(run("bord kv260", 1),
              HasSubstr("bord is no setting: blocks board jobs mhz port results stop are"));
}

// A device tree that the compiler takes.
TEST_F(BoardScript, DeviceTree) {
  engine("single");
  const auto r =
      backends::run_process({"dtc", "-@", "-O", "dtb", "-o", "n.dtbo", "out/n.dtsi"}, folder_);
  EXPECT_EQ(r.status, 0) << r.output;
}

// A network on a board of the 7 series: behind a serial line, which tests/host runs at its pins, or
// between the streams of a DMA.
class StreamBoard : public ComponentXml {
 protected:
  void generate(const std::string& layers, const std::string& options,
                const std::string& family = "7series") {
    write("net.graph", small_network());
    fs::remove_all(folder_ / "out");
    ComponentXml::generate(layers, options, "out", R"(, "target": {"family": ")" + family + "\"}");
  }
  static std::string network(const std::string& name = "s", const std::string& more = "") {
    return R"({"type": "dataflow", "name": ")" + name +
           R"(", "graph": "net.graph", "clocks": 324)" + more + "}";
  }
  std::string serial(const std::string& settings, int status = 0,
                     const std::string& slack = "0.5") {
    return run_on(R"(
foreach command {create_project read_verilog synth_design create_clock set_property set_false_path
                 opt_design place_design route_design report_utilization report_timing_summary
                 write_bitstream} {
  proc $command {args} "puts \"$command \$args\""
}
proc get_ports {ports} {return $ports}
proc get_timing_paths {args} {return path}
proc current_design {} {return design}
proc get_property {name of} {return )" +
                      slack + "}\n",
                  "out/n_serial.tcl " + settings, status);
  }
  std::string dma(const std::string& settings, int status = 0,
                  const std::string& boards = "a:b:c:1.0", const std::string& slack = "0.1") {
    return design("n_dma.tcl", settings, status, boards, slack);
  }
  bool has(const std::string& file) const { return fs::exists(folder_ / "out" / file); }
};

TEST_F(StreamBoard, OnlyForOneStreamInAndOut) {
  const auto are_there = [&](bool expected) {
    for (const char* file : {"n_serial.v", "n_serial.tcl", "n_dma.tcl"})
      EXPECT_EQ(has(file), expected) << file;
  };
  generate(network(), "--axi-stream");
  are_there(false);
  for (const char* more : {"", R"(, "input_last": true)"}) {
    generate(network("s", more), "--axi-stream --driver");
    are_there(true);
    const auto r = backends::run_process(
        {"verilator", "--lint-only", "-Wall", "-Wno-UNUSED", "-Wno-PINCONNECTEMPTY",
         "-Wno-DECLFILENAME", "--top-module", "n_serial", "n_serial.v", "-f", "n_sim.f"},
        folder_ / "out");
    EXPECT_THAT(r.output, Not(HasSubstr("n_serial.v")));
    EXPECT_EQ(text("out/n_serial.v").find("_tlast(in_last)") != std::string::npos, *more != 0);
  }
  // Registers, a second network, another family.
  generate(network("s", R"(, "counters": "edges")"), "--axi-stream --driver");
  are_there(false);
  generate(network("s") + ", " + network("t"), "--axi-stream --driver");
  are_there(false);
  generate(network(), "--axi-stream --driver", "ultrascale+");
  are_there(false);
}

TEST_F(StreamBoard, ADmaConnectsEveryPin) {
  generate(network(), "--axi-stream --driver");
  EXPECT_THAT(dma("board zu stop design", 1),
              HasSubstr("zu is no board: arty-z7-20 pynq-z1 pynq-z2 are"));
  for (const std::string board : {"pynq-z2", "pynq-z1", "arty-z7-20"}) {
    const auto output = dma("board " + board + " stop design mhz 125");
    EXPECT_THAT(output, HasSubstr("-part xc7z020clg400-1"));
    EXPECT_THAT(output, HasSubstr("CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 125"));
    EXPECT_THAT(output, HasSubstr("CONFIG.c_m_axis_mm2s_tdata_width 8"));
    EXPECT_THAT(output, HasSubstr("-vlnv kumiki:netlist:n:0.1 network"));
    EXPECT_THAT(output, Not(HasSubstr("launch_runs")));
    const auto pins = connected(output);
    // All interfaces of the component, and all that a DMA has, each of them once.
    const std::string component = text("out/component.xml");
    const std::regex name("<spirit:busInterface>\\s*<spirit:name>([^<]+)<");
    std::set<std::string> wanted;
    for (std::sregex_iterator i(component.begin(), component.end(), name), end; i != end; ++i)
      wanted.insert("network/" + (*i)[1].str());
    EXPECT_EQ(wanted.size(), 4U);
    for (const char* pin : {"M_AXIS_MM2S", "S_AXIS_S2MM", "S_AXI_LITE", "M_AXI_MM2S", "M_AXI_S2MM",
                            "axi_resetn", "s_axi_lite_aclk", "m_axi_mm2s_aclk", "m_axi_s2mm_aclk"})
      wanted.insert(std::string("axi_dma_0/") + pin);
    for (const std::string& pin : wanted) EXPECT_EQ(pins.count(pin), 1U) << pin << " on " << board;
    const std::set<std::string> drivers{"ps/FCLK_CLK0", "resets/interconnect_aresetn",
                                        "resets/peripheral_aresetn"};
    for (const auto& [pin, other] : pins)
      EXPECT_TRUE(pins.count(pin) == 1 || drivers.contains(pin)) << pin;
  }
  fs::create_directories(folder_ / "board/project/n.gen/sources_1/bd/system/hw_handoff");
  std::ofstream(folder_ / "board/project/n.gen/sources_1/bd/system/hw_handoff/system.hwh") << "x";
  EXPECT_THAT(dma(""), HasSubstr("write_bitstream -force " + (folder_ / "board/n.bit").string()));
  EXPECT_TRUE(fs::exists(folder_ / "board/n.hwh"));
  EXPECT_THAT(dma("", 1, "a:b:c:1.0", "-0.25"),
              HasSubstr("the clock is missed by -0.25 ns: set a lower mhz"));
  EXPECT_THAT(dma("", 1, ""), HasSubstr("Vivado has no board files of pynq-z2"));
  EXPECT_THAT(dma("stop never", 1), HasSubstr("stop is never: it must be design or results"));
  for (const char* mhz : {"0", "x", "251"})
    EXPECT_THAT(dma(std::string("mhz ") + mhz, 1),
                HasSubstr(std::string("mhz is ") + mhz + ": it must be a number above 0"));
  EXPECT_THAT(dma("bord pynq-z2", 1),
              HasSubstr("bord is no setting: blocks board jobs mhz results stop are"));
}

TEST_F(StreamBoard, ASerialLineWritesABitstream) {
  generate(network(), "--axi-stream --driver");
  const std::map<std::string, std::vector<std::string>> boards{
      {"arty-a7-35", {"xc7a35ticsg324-1L", "E3", "C2", "A9", "D10", "H5", "0"}},
      {"arty-a7-100", {"xc7a100tcsg324-1", "E3", "C2", "A9", "D10", "H5", "0"}},
      {"basys3", {"xc7a35tcpg236-1", "W5", "U18", "B18", "A18", "U16", "1"}}};
  for (const auto& [board, facts] : boards) {
    const auto output = serial("board " + board + " baud 115200 results made");
    EXPECT_THAT(output, HasSubstr("synth_design -top n_serial -part " + facts[0]));
    EXPECT_THAT(output, HasSubstr("{CLOCK=100000000 BAUD=115200 BUTTON=1'b" + facts[6] + "}"));
    std::size_t k = 1;
    for (const char* port : {"clk", "button", "rx", "tx", "lost"})
      EXPECT_THAT(output, HasSubstr("set_property -dict {PACKAGE_PIN " + facts[k++] +
                                    " IOSTANDARD LVCMOS33} " + port + "\n"));
    EXPECT_THAT(output, HasSubstr("create_clock -name clk -period 10.0 clk\n"));
    EXPECT_THAT(output, HasSubstr("/out/n.v\n"));
    EXPECT_THAT(output, HasSubstr("/out/n_serial.v\n"));
    EXPECT_THAT(output, HasSubstr("write_bitstream -force made/n_serial.bit"));
  }
  const auto slow = serial("", 1, "-0.25");
  EXPECT_THAT(slow, HasSubstr("n_serial: worst slack -0.25 ns at 100 MHz"));
  EXPECT_THAT(slow, HasSubstr("the network is too slow for the board's clock"));
  EXPECT_THAT(slow, Not(HasSubstr("write_bitstream")));
  EXPECT_THAT(serial("board zu", 1),
              HasSubstr("zu is no board: arty-a7-100 arty-a7-35 basys3 are"));
  for (const char* baud : {"0", "-1", "6250001", "x", "1.5"})
    EXPECT_THAT(serial(std::string("baud ") + baud, 1),
                HasSubstr(std::string("the baud rate is ") + baud + "; it must be 1 to 6250000"));
  EXPECT_THAT(serial("bard basys3", 1), HasSubstr("bard is no setting: baud board results are"));
}

}  // namespace component_test
}  // namespace kumiki::test
