// SPDX-License-Identifier: Apache-2.0
// The vendor's answers, reproduced by the emitted netlist in the native simulator and under
// Verilator: a cell for every trace, side by side.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/sim/native/machine.h"
#include "backends/sim/verilator/verilated_machine.h"
#include "ir/primitives/uram288.h"
#include "tests/support/cache.h"
#include "tests/support/uram288_traces.h"

namespace kumiki::tests {
namespace uram288_test {

using ir::Net;

const std::vector<Uram288Trace>& traces() {
  static const auto all = read_uram288_traces(KUMIKI_TEST_DIR "/vectors/uram288");
  return all;
}

// Inputs change while the clock is low, so that both modes of a reset are the same.
std::vector<std::uint64_t> with_synchronous_resets(std::vector<std::uint64_t> params) {
  for (unsigned port = 0; port < 2; ++port)
    params[port * ir::uram288::port_parameters + ir::uram288::reset_mode] = 0;
  return params;
}

std::unique_ptr<ir::Design> every_trace() {
  auto design = std::make_unique<ir::Design>();
  ir::Module& m = design->add_module("urams");
  const Net clk = m.add_input("clk", 1);
  for (const Uram288Trace& trace : traces()) {
    const auto width = static_cast<std::uint32_t>(trace.inputs[0].size());
    const Net given = m.add_input(trace.name + "_in", width - 1);
    std::vector<Net> in{clk};
    for (std::uint32_t i = 0; i + 1 < width; ++i) in.push_back({given.index + i});
    const auto cell =
        m.add_cell(ir::Kind::uram288, 1, in, with_synchronous_resets(trace.params), {});
    std::vector<Net> out;
    for (std::uint32_t o = 0; o < trace.answers[0].size(); ++o)
      out.push_back({m.cell(cell).out.index + o});
    m.add_output(trace.name + "_out", out);
  }
  design->set_top(m.id());
  return design;
}

bool bit_of(const ir::Frame& frame, const ir::PortSlot& port, std::size_t bit) {
  return (frame[port.limb + bit / 64] >> bit % 64 & 1) != 0;
}

// An answer after an edge is what the next clock reads.
void expect_answers(ir::Machine& machine, const ir::PortLayout& ports) {
  machine.power_up();
  std::size_t compared = 0, wrong = 0;
  const std::size_t rows = traces()[0].inputs.size();
  for (std::size_t row = 0; row <= rows; ++row) {
    ir::Frame in(ports.input_limbs), out(ports.output_limbs);
    for (std::size_t t = 0; row < rows && t < traces().size(); ++t)
      for (std::size_t i = 1; i < traces()[t].inputs[row].size(); ++i)
        in[ports.inputs[t].limb + (i - 1) / 64] |= std::uint64_t{traces()[t].inputs[row][i]}
                                                   << (i - 1) % 64;
    machine.step(in, out);
    for (std::size_t t = 0; row > 0 && t < traces().size(); ++t)
      for (std::size_t o = 0; o < traces()[t].answers[row - 1].size(); ++o) {
        if (!traces()[t].is_known[row - 1][o]) continue;
        ++compared;
        wrong += bit_of(out, ports.outputs[t], o) != traces()[t].answers[row - 1][o];
      }
    ASSERT_EQ(wrong, 0u) << "clock " << row;
  }
  EXPECT_EQ(compared, 32u * 200u * 146u);
}

TEST(Uram288, NetlistsGiveTheAnswersOfTheVendor) {
  const auto design = every_trace();
  const ir::PortLayout ports = ir::layout(design->top());
  backends::NativeMachine native(*design);
  expect_answers(native, ports);
  backends::VerilatedMachine verilated(*design, {.cache = backends::Cache(test::shared_cache)});
  expect_answers(verilated, ports);
}

}  // namespace uram288_test
}  // namespace kumiki::tests
