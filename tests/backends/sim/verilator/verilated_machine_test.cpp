// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/verilator/verilated_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/toolchain.h"
#include "backends/support/file.h"
#include "tests/support/cache.h"
#include "tests/support/random.h"
#include "tests/support/random_design.h"
#include "tests/support/seed.h"

namespace kumiki::backends {
namespace verilator_verilated_machine_test {

VerilatorOptions options() { return {.cache = Cache(test::shared_cache)}; }

ir::Frame random_frame(const ir::PortLayout& ports, tests::Random& random) {
  ir::Frame frame(ports.input_limbs);
  for (const auto& port : ports.inputs)
    for (std::uint32_t l = 0; l < port.limbs(); ++l)
      frame[port.limb + l] = random.word() >> (64 - std::min(64u, port.width - 64 * l));
  return frame;
}

void expect_same_as_native(const ir::Design& design, int cycles, std::uint64_t seed) {
  NativeMachine native(design);
  VerilatedMachine verilated(design, options());
  tests::Random random(seed);
  ir::Frame expected, got;
  native.power_up();
  for (int cycle = 0; cycle < cycles; ++cycle) {
    auto in = random_frame(verilated.ports(), random);
    native.step(in, expected);
    verilated.step(in, got);
    ASSERT_EQ(got, expected) << "cycle " << cycle << " of design " << seed;
  }
}

TEST(VerilatedMachine, AgreesWithTheNativeSimulatorOnRandomDesigns) {
  std::vector<std::uint64_t> seeds(30);
  std::iota(seeds.begin(), seeds.end(), 1);
  for (const std::uint64_t seed : test::this_time(seeds, 7))
    expect_same_as_native(*tests::random_design(seed, {.false_loops = seed % 2 == 0}), 300, seed);
}

// Waveforms of the cycles that were asked for, or an error.
TEST(VerilatedMachine, WritesWaveformsOrSaysThatItCannot) {
  const auto design = tests::random_design(3, {});
  auto traced = options();
  traced.trace = true;
  VerilatedMachine machine(*design, traced);
  const std::filesystem::path folder = KUMIKI_TEST_TMP "/waveforms";
  std::filesystem::create_directories(folder);
  const auto file = folder / "some.vcd";
  std::filesystem::remove(file);
  tests::Random random(1);
  ir::Frame out;
  machine.step(random_frame(machine.ports(), random), out);
  machine.trace_to(file);
  for (int cycle = 0; cycle < 3; ++cycle) machine.step(random_frame(machine.ports(), random), out);
  machine.close_trace();
  const std::string vcd = read_file(file);
  EXPECT_NE(vcd.find("$enddefinitions"), std::string::npos);
  EXPECT_EQ(vcd.find("\n#0\n"), std::string::npos) << "the first cycle was not asked for";
  EXPECT_THROW(machine.trace_to(folder / "missing/some.vcd"), std::exception);
}

// One of several compilers fails, or all do.
TEST(VerilatedMachine, ACompilerThatFailsIsAnError) {
  const auto toolchain = verilator::find_toolchain();
  const verilator::Compilation works{".", {"--version"}}, fails{".", {"missing.cpp"}};
  for (const unsigned jobs : {1u, 2u}) {
    EXPECT_NO_THROW(verilator::compile(toolchain, {works, works}, jobs, "compiling"));
    EXPECT_THROW(verilator::compile(toolchain, {works, fails, works}, jobs, "compiling"),
                 ToolError);
    EXPECT_THROW(verilator::compile(toolchain, {fails, fails}, jobs, "compiling"), ToolError);
  }
}

// Models of one process are loaded and unloaded: symbols that are unique would keep them there.
TEST(VerilatedMachine, ModelsCanBeUnloaded) {
  const auto toolchain = verilator::find_toolchain();
  const bool is_clang = toolchain.identity.find("clang") != std::string::npos;
  EXPECT_NE(std::ranges::count(toolchain.flags, "-fno-gnu-unique"), is_clang ? 1 : 0);
}

}  // namespace verilator_verilated_machine_test
}  // namespace kumiki::backends
