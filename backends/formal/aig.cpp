// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/aig.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "backends/emit/messages.h"
#include "ir/error.h"

namespace kumiki::backends::proof {

Literal Aig::add_input() {
  inputs_.push_back(size());
  nodes_.push_back({});
  return 2 * inputs_.back();
}

Literal Aig::both(Literal a, Literal b) {
  if (a < b) std::swap(a, b);
  if (b == zero || a == inverted(b)) return zero;
  if (b == one || a == b) return a;
  const std::uint64_t key = std::uint64_t{a} << 32 | b;
  const auto [at, fresh] = known_.try_emplace(key, size());
  if (fresh) nodes_.push_back({a, b});
  return 2 * at->second;
}

void Aig::simulate(const std::vector<std::uint64_t>& inputs,
                   std::vector<std::uint64_t>& nodes) const {
  nodes.assign(size(), 0);
  for (std::size_t i = 0; i < inputs_.size(); ++i) nodes[inputs_[i]] = inputs[i];
  for (std::uint32_t n = 1; n < size(); ++n)
    if (!is_input(n)) nodes[n] = value(nodes, nodes_[n].a) & value(nodes, nodes_[n].b);
}

Part part_of(const Aig& aig, const std::vector<Literal>& outputs,
             const std::vector<Literal>& instead) {
  auto stands_for = [&](Literal l) {
    while (!instead.empty() && instead[l >> 1] != (l & ~1u)) l = instead[l >> 1] ^ (l & 1);
    return l;
  };
  std::vector<bool> wanted(aig.size(), false);
  for (Literal l : outputs) wanted[stands_for(l) >> 1] = true;
  for (std::uint32_t n = aig.size(); n-- > 1;)
    if (wanted[n] && !aig.is_input(n))
      for (Literal l : {aig.node(n).a, aig.node(n).b}) wanted[stands_for(l) >> 1] = true;
  Part part;
  std::vector<Literal> is(aig.size(), zero);
  auto now = [&](Literal l) {
    l = stands_for(l);
    return is[l >> 1] ^ (l & 1);
  };
  for (std::uint32_t n : aig.inputs()) is[n] = part.aig.add_input();
  for (std::uint32_t n = 1; n < aig.size(); ++n)
    if (wanted[n] && !aig.is_input(n))
      is[n] = part.aig.both(now(aig.node(n).a), now(aig.node(n).b));
  for (Literal l : outputs) part.outputs.push_back(now(l));
  return part;
}

std::vector<Literal> copied(Aig& to, const Aig& from, const std::vector<Literal>& inputs) {
  std::vector<Literal> is(from.size(), zero);
  for (std::size_t i = 0; i < inputs.size(); ++i) is[from.inputs()[i]] = inputs[i];
  auto now = [&](Literal l) { return is[l >> 1] ^ (l & 1); };
  for (std::uint32_t n = 1; n < from.size(); ++n)
    if (!from.is_input(n)) is[n] = to.both(now(from.node(n).a), now(from.node(n).b));
  return is;
}

std::vector<Literal> these(const std::vector<Literal>& is, const std::vector<Literal>& wanted) {
  std::vector<Literal> all;
  for (Literal l : wanted) all.push_back(is[l >> 1] ^ (l & 1));
  return all;
}

namespace {

// "x[3]", "x": the lowest bit of a port may lack its index.
Circuit::Bit bit_named(const std::string& name) {
  const auto at = name.rfind('[');
  if (at == std::string::npos || name.back() != ']') return {name, 0};
  return {name.substr(0, at), static_cast<std::uint32_t>(std::stoul(name.substr(at + 1)))};
}

void set_nets_apart(Circuit& c) {
  std::size_t kept = 0;
  for (std::size_t o = 0; o < c.outputs.size(); ++o) {
    const bool is_net = c.outputs[o].port.find('.') != std::string::npos;
    if (is_net) {
      c.nets.push_back(std::move(c.outputs[o]));
      c.net_values.push_back(c.output_values[o]);
    } else {
      std::swap(c.outputs[kept], c.outputs[o]);
      c.output_values[kept++] = c.output_values[o];
    }
  }
  c.outputs.resize(kept);
  c.output_values.resize(kept);
}

}  // namespace

Circuit read_circuit(std::string_view aag) {
  std::istringstream in{std::string(aag)};
  std::string magic;
  std::uint32_t most = 0, inputs = 0, latches = 0, outputs = 0, ands = 0;
  if (!(in >> magic >> most >> inputs >> latches >> outputs >> ands) || magic != "aag")
    throw ToolError(code::tool_answer, "yosys: its output is not a circuit (aag)");
  std::string line;
  std::getline(in, line);  // newer forms have more counts, all 0 here
  Circuit c;
  std::vector<Literal> is(most + 1, zero);
  auto now = [&](std::uint32_t l) { return is.at(l >> 1) ^ (l & 1); };
  auto number = [&] {
    std::uint32_t n = 0;
    if (!(in >> n)) throw ToolError(code::tool_answer, "yosys: the circuit it wrote ends early");
    return n;
  };
  for (std::uint32_t i = 0; i < inputs; ++i) is.at(number() >> 1) = c.aig.add_input();
  std::vector<std::uint32_t> next, value;
  for (std::uint32_t i = 0; i < latches; ++i) {
    is.at(number() >> 1) = c.aig.add_input();
    next.push_back(number());
    std::getline(in, line);  // its value at power-up, always 0 due to -zinit
  }
  for (std::uint32_t i = 0; i < outputs; ++i) value.push_back(number());
  for (std::uint32_t i = 0; i < ands; ++i) {
    const auto l = number(), a = number(), b = number();
    is.at(l >> 1) = c.aig.both(now(a), now(b));
  }
  for (auto l : next) c.next.push_back(now(l));
  for (auto l : value) c.output_values.push_back(now(l));
  c.inputs.resize(inputs);
  c.outputs.resize(outputs);
  std::string where, name;
  while (in >> where && where != "c") {
    std::getline(in >> std::ws, name);
    const std::size_t n = std::stoul(where.substr(1));
    if (where[0] == 'i') c.inputs.at(n) = bit_named(name);
    if (where[0] == 'o') c.outputs.at(n) = bit_named(name);
  }
  set_nets_apart(c);
  return c;
}

}  // namespace kumiki::backends::proof
