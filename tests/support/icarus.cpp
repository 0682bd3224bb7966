// SPDX-License-Identifier: Apache-2.0
#include "tests/support/icarus.h"

#include <fmt/format.h>

#include <random>

#include "backends/emit/verilog/verilog.h"
#include "backends/sim/native/machine.h"
#include "backends/support/process.h"

namespace kumiki::tests {
namespace {

// All ports of a direction as one binary number, the first port lowest.
std::string as_word(const std::vector<ir::PortSlot>& ports, const ir::Frame& frame) {
  std::string binary;
  for (const auto& p : ports)
    for (std::uint32_t b = 0; b < p.width; ++b)
      binary += frame[p.limb + b / 64] >> (b % 64) & 1 ? '1' : '0';
  return {binary.rbegin(), binary.rend()};
}

ir::Frame random_frame(const ir::PortLayout& ports, std::mt19937_64& random) {
  ir::Frame frame(ports.input_limbs);
  for (const auto& p : ports.inputs)
    for (std::uint32_t b = 0; b < p.width; ++b)
      frame[p.limb + b / 64] |= (random() >> 33 & 1) << (b % 64);
  return frame;
}

std::uint32_t bits_of(const std::vector<ir::PortSlot>& ports) {
  std::uint32_t sum = 0;
  for (const auto& p : ports) sum += p.width;
  return sum;
}

std::string bench(const ir::Names& names, unsigned cycles) {
  const ir::Module& top = names.design().top();
  std::string connections;
  std::uint32_t in = 0, out = 0;
  for (std::uint32_t i = 0; i < top.ports().size(); ++i) {
    const ir::Port& p = top.ports()[i];
    bool input = p.direction == ir::Direction::input;
    std::string net = "clk";
    if (!input || top.design().text(p.name) != ir::clock_port) {
      auto& at = input ? in : out;
      net = fmt::format("{}[{}:{}]", input ? "in" : "got", at + p.width - 1, at);
      at += p.width;
    }
    connections +=
        fmt::format("{}.{}({})", i ? ", " : "", to_string(names.in(top.id()).name(i)), net);
  }
  return fmt::format(R"(module bench;
  reg clk = 0;
  reg [{in_top}:0] in, ins [0:{last}];
  reg [{out_top}:0] want, wants [0:{last}];
  wire [{out_top}:0] got;
  integer i;
  {top} dut ({connections});
  initial begin
    $readmemb("ins", ins);
    $readmemb("wants", wants);
    for (i = 0; i <= {last}; i = i + 1) begin
      in = ins[i];
      want = wants[i];
      #1 if (got !== want) $display("cycle %0d: in %b, got %b, want %b", i, in, got, want);
      clk = 1;
      #1 clk = 0;
    end
    $display("end");
  end
endmodule
)",
                     fmt::arg("in_top", in - 1), fmt::arg("out_top", out - 1),
                     fmt::arg("last", cycles - 1), fmt::arg("top", names.module(top.id())),
                     fmt::arg("connections", connections));
}

}  // namespace

testing::AssertionResult icarus_agrees(const ir::Design& design, std::uint64_t seed,
                                       unsigned cycles) {
  ir::PortLayout ports = layout(design.top());
  if (bits_of(ports.inputs) == 0 || bits_of(ports.outputs) == 0) return testing::AssertionSuccess();
  ir::Names names(design);
  backends::OutputSet set;
  auto files = backends::write_verilog(names, set, {.models = true});
  set.add("bench.v", bench(names, cycles));

  backends::NativeMachine native(design);
  native.power_up();
  std::mt19937_64 random(seed);
  std::string ins, wants;
  for (unsigned i = 0; i < cycles; ++i) {
    ir::Frame in = random_frame(ports, random), out;
    native.step(in, out);
    ins += as_word(ports.inputs, in) + "\n";
    wants += as_word(ports.outputs, out) + "\n";
  }
  set.add("ins", ins);
  set.add("wants", wants);

  backends::TemporaryFolder folder;
  set.commit(folder.path());
  std::vector<std::string> compile{"iverilog", "-g2005", "-o", "a.out", "-s", "bench", "bench.v"};
  compile.insert(compile.end(), files.begin(), files.end());
  for (const auto& command : {compile, {"vvp", "-n", "a.out"}}) {
    auto result = backends::run_process(command, folder.path());
    bool good = result.status == 0 && result.output == (command == compile ? "" : "end\n");
    if (!good)
      return testing::AssertionFailure() << command[0] << " ended with " << result.status << ":\n"
                                         << result.output.substr(0, 3000);
  }
  return testing::AssertionSuccess();
}

}  // namespace kumiki::tests
