// SPDX-License-Identifier: Apache-2.0
// A netlist as a block of block designs: component.xml, the script that packages it, what two
// clocks need. tests/block_design holds the documents to the standard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
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
  void generate(const std::string& layers, const std::string& options, const std::string& out) {
    const auto r =
        kumiki("gen " + config(R"({"kumiki": 1, "name": "n", "layers": [)" + layers + "]}") + " " +
               options + " -o " + path(out));
    ASSERT_EQ(r.status, 0) << r.err;
  }
  // The script on commands that stand in for Vivado's and say how they were called.
  std::string package(const std::string& settings, int status = 0,
                      const std::string& vlnv = "kumiki:netlist:n:0.1") {
    std::ofstream(folder_ / "stand_in.tcl") << R"(
foreach command {create_project ipx::create_xgui_files ipx::update_checksums
                 ipx::check_integrity ipx::save_core ipx::archive_core} {
  namespace eval ipx {}
  proc $command {args} "puts \"$command \$args\""
}
proc ipx::open_core {file} {puts "ipx::open_core $file"; return core}
proc get_property {name of} {return )" + vlnv + R"(}
set script [lindex $argv 0]
set argv [lrange $argv 1 end]
source $script
)";
    const auto r = backends::run_process(
        {"bash", "-c", "tclsh stand_in.tcl out/n_package.tcl " + settings}, folder_);
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

}  // namespace component_test
}  // namespace kumiki::test
