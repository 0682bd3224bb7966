// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/vectors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backends/emit/messages.h"
#include "backends/emit/verilog_netlist.h"
#include "backends/support/tool.h"
#include "ir/error.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

using Ports = std::vector<ir::PortSlot>;
using Frames = std::vector<ir::Frame>;

// The position of a port in the word: no gaps, the first port lowest.
struct Placed {
  const ir::PortSlot* port;
  std::uint32_t low;
};

std::vector<Placed> placed(const Ports& ports) {
  std::vector<Placed> all;
  std::uint32_t low = 0;
  for (const auto& p : ports) {
    all.push_back({&p, low});
    low += p.width;
  }
  return all;
}

std::uint32_t width(const Ports& ports) {
  std::uint32_t sum = 0;
  for (const auto& p : ports) sum += p.width;
  return std::max(sum, 1u);
}

bool bit(const ir::Frame& frame, const ir::PortSlot& port, std::uint32_t i) {
  return frame[port.limb + i / 64] >> i % 64 & 1;
}

// Removes the gaps between the ports of a frame.
ir::Frame joined(const Ports& ports, const ir::Frame& frame) {
  ir::Frame word((width(ports) + 63) / 64);
  for (const auto& [port, low] : placed(ports))
    for (std::uint32_t i = 0; i < port->width; ++i)
      word[(low + i) / 64] |= std::uint64_t{bit(frame, *port, i)} << (low + i) % 64;
  return word;
}

void put_hex(Text& out, const std::uint64_t* limbs, std::uint32_t bits) {
  for (std::uint32_t limb = (bits + 63) / 64; limb-- > 0;)
    out.hex(limbs[limb], (std::min(bits - 64 * limb, 64u) + 3) / 4);
}

Text hex_file(std::string_view what, const Ports& ports, const Frames& frames) {
  Text out;
  out.put("// ", what, ", a word a cycle from power-up on\n");
  for (const auto& [port, low] : placed(ports))
    out.put(fmt::format("// [{}:{}] {}\n", low + port->width - 1, low, port->name));
  for (const auto& frame : frames) {
    const auto word = joined(ports, frame);
    put_hex(out, word.data(), width(ports));
    out.put('\n');
  }
  return out;
}

Text csv_file(const Ports& ports, const Frames& frames) {
  Text out("cycle");
  for (const auto& p : ports) out.put(",", p.name);
  out.put('\n');
  for (std::size_t cycle = 0; cycle < frames.size(); ++cycle) {
    out.decimal(cycle);
    for (const auto& p : ports) {
      out.put(",0x");
      put_hex(out, frames[cycle].data() + p.limb, p.width);
    }
    out.put('\n');
  }
  return out;
}

std::string range(const Placed& p) {
  return fmt::format("[{}:{}]", p.low + p.port->width - 1, p.low);
}

std::string bench_text(const ir::Module& dut, const std::string& top, const std::string& bench,
                       const ir::PortLayout& ports, const Vectors& vectors) {
  const std::size_t cycles = vectors.inputs.size();
  std::vector<std::string> connections, show;
  if (dut.find_port(ir::clock_port))
    connections.push_back(fmt::format("      .{0}(clk)", ir::clock_port));
  const bool two = ir::has_fast_clock(dut);
  if (two) connections.push_back(fmt::format("      .{0}(clk2x)", ir::fast_clock_port));
  for (const auto& p : placed(ports.inputs))
    connections.push_back(fmt::format("      .{}(in{})", p.port->name, range(p)));
  for (const auto& p : placed(ports.outputs)) {
    connections.push_back(fmt::format("      .{}(out{})", p.port->name, range(p)));
    show.push_back(fmt::format(
        "          if (differs{0} !== 0)\n"
        "            $display(\"  {1}: %h instead of %h\", out{0}, expected[cycle]{0});",
        range(p), p.port->name));
  }
  auto fillings = clock_fillings(two);
  fillings.insert(fillings.end(),
                  {{"FAST_REG", two ? ", clk2x" : ""},
                   {"CYCLES", std::to_string(cycles)},
                   {"COMPARED", std::to_string(vectors.compared)},
                   {"TOP", top},
                   {"BENCH", bench},
                   {"IN_HIGH", std::to_string(width(ports.inputs) - 1)},
                   {"OUT_HIGH", std::to_string(width(ports.outputs) - 1)},
                   {"LAST", std::to_string(cycles - 1)},
                   {"CONNECTIONS", fmt::format("{}", fmt::join(connections, ",\n"))},
                   {"SHOW", fmt::format("{}", fmt::join(show, "\n"))}});
  return fill(templates::text("project/testbench.v.in"), fillings);
}

}  // namespace

std::string write_vectors(const ir::Names& names, const Vectors& v, OutputSet& out) {
  if (v.compared == 0)
    throw DesignError(code::nothing_compared,
                      fmt::format("in {} cycles no output means anything; ask for more vectors",
                                  v.inputs.size()));
  const std::string top(names.module(names.design().top_id()));
  std::string bench = top + "_tb";
  while (names.has_module(bench)) bench += '_';
  const auto ports = written_ports(names);
  const auto add = [&](const char* name, std::string_view what, const Ports& of, const Frames& f) {
    out.add(fmt::format("vectors/{}.hex", name), hex_file(what, of, f));
    out.add(fmt::format("vectors/{}.csv", name), csv_file(of, f));
  };
  add("stimulus", "inputs", ports.inputs, v.inputs);
  add("expected", "outputs of the model, 0 where valid is", ports.outputs, v.outputs);
  add("valid", "1 where an output bit means something", ports.outputs, v.valid);
  out.add(fmt::format("vectors/{}.v", bench),
          bench_text(names.design().top(), top, bench, ports, v));
  return bench;
}

}  // namespace kumiki::backends
