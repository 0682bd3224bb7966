// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/counterexample.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kumiki::backends::proof {
namespace {

using Values = std::map<std::string, std::vector<bool>>;  // of ports, lowest bit first

std::string verilog(const std::vector<bool>& bits) {
  std::string digits;
  for (std::size_t low = 0; low < bits.size(); low += 4) {
    unsigned digit = 0;
    for (std::size_t b = low; b < std::min(low + 4, bits.size()); ++b)
      digit |= static_cast<unsigned>(bits[b]) << (b - low);
    digits.insert(digits.begin(), "0123456789abcdef"[digit]);
  }
  return fmt::format("{}'h{}", bits.size(), digits);
}

Values ports(const std::vector<Circuit::Bit>& bits, const std::vector<Literal>& literals,
             const std::vector<std::uint64_t>& nodes) {
  Values all;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    auto& port = all[bits[i].port];
    port.resize(std::max<std::size_t>(port.size(), bits[i].index + 1));
    port[bits[i].index] = value(nodes, literals[i]) & 1;
  }
  return all;
}

}  // namespace

Counterexample counterexample(const Unrolled& unrolled, const std::vector<bool>& inputs,
                              const std::vector<std::optional<std::size_t>>& when) {
  std::vector<std::uint64_t> words(inputs.begin(), inputs.end()), nodes;
  unrolled.aig().simulate(words, nodes);
  const auto& circuit = *unrolled.gold().circuit;
  Counterexample c;
  for (std::size_t f = 0; f < unrolled.frames(); ++f) {
    const auto& frame = unrolled.frame(f);
    c.inputs.emplace_back();
    for (const auto& [name, bits] : ports(circuit.inputs, frame.inputs, nodes))
      if (!ir::is_clock_port(name)) c.inputs.back().push_back({name, verilog(bits)});
    for (std::size_t o = 0; o < frame.gold.size(); ++o) {
      const bool counts = !when[o] || (value(nodes, frame.gold[*when[o]]) & 1);
      if (!counts || ((value(nodes, frame.gold[o]) ^ value(nodes, frame.gate[o])) & 1) == 0)
        continue;
      c.output = circuit.outputs[o].port;
      c.expected = verilog(ports(circuit.outputs, frame.gold, nodes).at(c.output));
      c.got = verilog(ports(circuit.outputs, frame.gate, nodes).at(c.output));
      return c;
    }
  }
  return c;
}

std::string to_text(const Counterexample& c) {
  std::string text;
  std::map<std::string, std::string> last;
  for (std::size_t f = 0; f < c.inputs.size(); ++f) {
    text += fmt::format("  clock {}:", f);
    for (const auto& p : c.inputs[f])
      if (f == 0 || last[p.name] != p.value) text += fmt::format(" {} = {}", p.name, p.value);
    for (const auto& p : c.inputs[f]) last[p.name] = p.value;
    text += '\n';
  }
  return text +
         fmt::format("  then {} is {}, by the definition it is {}\n", c.output, c.got, c.expected);
}

}  // namespace kumiki::backends::proof
