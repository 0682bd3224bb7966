// SPDX-License-Identifier: Apache-2.0
// A folder of vendor models under Icarus. The models here are ours, in the vendor's manner: a
// global reset of 100 ns in glbl.v, tri0, picoseconds, delays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "backends/icarus/icarus.h"
#include "backends/lockstep/lockstep.h"
#include "backends/native/machine.h"
#include "gen/dsl/dsl.h"
#include "ir/error.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;
using namespace gen;
using ::testing::HasSubstr;

constexpr const char* glbl = R"(`timescale 1 ps / 1 ps
module glbl ();
  parameter ROC_WIDTH = 100000;
  wire GSR;
  reg GSR_int;
  assign (strong1, weak0) GSR = GSR_int;
  initial begin
    GSR_int = 1'b1;
    #(ROC_WIDTH) GSR_int = 1'b0;
  end
endmodule
)";

// Unlike ours, it forgets everything that happens before the global reset ends.
constexpr const char* fdre = R"(`timescale 1 ps / 1 ps
module FDRE #(
  parameter [0:0] INIT = 1'b0, parameter [0:0] IS_C_INVERTED = 1'b0,
  parameter [0:0] IS_D_INVERTED = 1'b0, parameter [0:0] IS_R_INVERTED = 1'b0
) (output Q, input C, input CE, input D, input R);
  tri0 GSR = glbl.GSR;
  reg q_out = INIT;
  always @(posedge C)
    if (GSR) q_out <= INIT;
    else if (R ^ IS_R_INVERTED) q_out <= #100 1'b0;
    else if (CE) q_out <= #100 D ^ IS_D_INVERTED;
  assign Q = q_out;
endmodule
)";

class Unisim : public ::testing::Test {
 protected:
  void SetUp() override {
    folder =
        fs::path(KUMIKI_TEST_TMP) /
        ("unisim_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder);
    fs::create_directories(folder / "unisims");
    write("glbl.v", glbl);
    write("unisims/FDRE.v", fdre);
    for (const char* name : {"LUT1", "LUT6", "CARRY8"})
      write(std::string("unisims/") + name + ".v",
            "`timescale 1 ps / 1 ps\n" +
                std::string(templates::text(std::string("primitives/") + name + ".v")));
    auto& module = builder.design().add_module("count");
    Scope s(builder, module);
    auto c = counter(
        s,
        {.modulo = 11, .enable = s.input<UInt>("en", 1)[0], .reset = s.input<UInt>("rst", 1)[0]});
    s.output("value", c.value);
    s.finish();
    builder.design().set_top(module.id());
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  }

  fs::path folder;
  Builder builder;
};

TEST_F(Unisim, RunsInLockstepWithTheNativeSimulator) {
  // The carry chain and the tables that the counter uses are among those above.
  auto netlist = verilog_netlist(builder.design());
  for (const auto& p : netlist.primitives)
    if (!fs::exists(folder / "unisims" / (p + ".v")))
      write("unisims/" + p + ".v",
            "`timescale 1 ps / 1 ps\n" + std::string(templates::text("primitives/" + p + ".v")));
  auto ports = ir::layout(builder.design().top());
  StimulusOptions options{.seed = 3, .cycles = 500, .stall = 0.2, .resets = 6};
  auto inputs = frames(ports, options, options.cycles);
  RecordedMachine vendor(inputs, run_icarus(netlist, inputs, {.unisim = folder / "unisims"}));
  NativeMachine native(builder.design());
  Stimulus stimulus(ports, options);
  auto result = run_lockstep(native, vendor, stimulus, {.cycles = options.cycles});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.moving_output_bits, 4u);
}

TEST_F(Unisim, NamesEveryFileThatIsMissing) {
  fs::remove(folder / "unisims" / "FDRE.v");
  auto netlist = verilog_netlist(builder.design());
  try {
    run_icarus(netlist, std::vector<ir::Frame>{{0, 0}}, {.unisim = folder / "unisims"});
    ADD_FAILURE() << "a missing model was not missed";
  } catch (const FileError& e) {
    EXPECT_THAT(e.what(), HasSubstr("FDRE.v"));
  }
}

TEST_F(Unisim, WantsTheGlobalReset) {
  fs::remove(folder / "glbl.v");
  auto netlist = verilog_netlist(builder.design());
  for (const auto& p : netlist.primitives) write("unisims/" + p + ".v", fdre);
  EXPECT_THROW(run_icarus(netlist, std::vector<ir::Frame>{{0, 0}}, {.unisim = folder / "unisims"}),
               FileError);
}

}  // namespace
}  // namespace kumiki::backends
