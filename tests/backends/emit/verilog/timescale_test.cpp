// SPDX-License-Identifier: Apache-2.0
// Netlist, primitive models and testbench go into one simulation, beside the vendor's models or a
// user's files: simulators refuse files with a timescale beside files without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/emit/verilog/verilog.h"
#include "backends/sim/lockstep/vectors.h"
#include "backends/sim/native/machine.h"
#include "backends/support/process.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace verilog_timescale_test {

using namespace gen;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* timescale = "`timescale 1ps / 1ps\n";

// A memory, a slice, flip-flops, tables and a carry chain.
void build_some_of_everything(Builder& builder) {
  ir::Module& module = builder.design().add_module("some");
  Scope s(builder, module);
  const UInt a = s.input<UInt>("a", 4);
  const UInt rom =
      Memory{.depth = 16, .width = 8, .contents = {1, 2, 3, 5, 8}, .read_address = a}.add_to(s);
  const auto c = counter(s, {.modulo = 200, .enable = a[0]});
  s.output("sum", add(s, rom, c.value));
  s.output(
      "p",
      Dsp48e2{.a = zext(s, rom, 30), .b = zext(s, a, 18), .opmode = 0b000000101}.add_to(s).p.slice(
          0, 12));
  s.finish();
  builder.design().set_top(module.id());
}

class Timescale : public ::testing::Test {
 protected:
  Timescale() {
    build_some_of_everything(builder_);
    const ir::Names names(builder_.design());
    names_ = write_verilog(names, files_, {.models = true});
    NativeMachine model(builder_.design());
    Stimulus stimulus(ir::layout(builder_.design().top()), {.cycles = 50, .resets = 0});
    bench_ = write_vectors(names, record_vectors(model, stimulus, 50), files_);
    names_.push_back("vectors/" + bench_ + ".v");
    files_.commit(folder_.path());
  }
  ProcessResult run(std::vector<std::string> command, bool with_files = true) const {
    if (with_files) command.insert(command.end(), names_.begin(), names_.end());
    return run_process(command, folder_.path());
  }

  Builder builder_;
  OutputSet files_;
  std::vector<std::string> names_;
  std::string bench_;
  TemporaryFolder folder_;
};

TEST_F(Timescale, EveryFileHasTheSameOne) {
  EXPECT_GT(names_.size(), 6u);
  for (const auto& name : names_)
    EXPECT_THAT(std::string(files_.find(name)->text.view()), HasSubstr(timescale)) << name;
  for (const auto path : templates::below("primitives/"))
    EXPECT_THAT(std::string(templates::text(path)), HasSubstr(timescale)) << path;
}

TEST_F(Timescale, VerilatorAndIcarusTakeAllOfThemTogether) {
  const auto linted = run({"verilator", "--lint-only", "--timing", "--top-module", bench_});
  EXPECT_EQ(linted.status, 0) << linted.output;
  EXPECT_EQ(linted.output, "");
  const auto compiled =
      run({"iverilog", "-g2001", "-Wall", "-Wno-portbind", "-s", bench_, "-o", "replay"});
  EXPECT_EQ(compiled.status, 0) << compiled.output;
  EXPECT_EQ(compiled.output, "");
  EXPECT_THAT(run({"vvp", "-n", "replay"}, false).output, HasSubstr("PASS: 50 cycles"));
}

// Compiles the runtime of Verilator as well.
TEST_F(Timescale, VerilatorMakesAProgramOfThem) {
  const auto built = run({"verilator", "--binary", "-j", "2", "--top-module", bench_, "-o", "run"});
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_THAT(run({"obj_dir/run"}, false).output, HasSubstr("PASS: 50 cycles"));
}

}  // namespace verilog_timescale_test
}  // namespace kumiki::backends
