// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/unroll.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/formal/messages.h"
#include "ir/error.h"

namespace kumiki::backends::proof {
namespace {

std::string name(const Circuit::Bit& bit) { return fmt::format("{}[{}]", bit.port, bit.index); }

}  // namespace

std::vector<std::size_t> places(const std::vector<Circuit::Bit>& these,
                                const std::vector<Circuit::Bit>& those) {
  std::unordered_map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < those.size(); ++i) at[name(those[i])] = i;
  std::vector<std::size_t> all;
  for (const auto& bit : these) {
    if (!at.contains(name(bit)))
      throw DesignError(
          code::ports_differ,
          fmt::format("the reference has a port bit {}, but the netlist does not", name(bit)));
    all.push_back(at[name(bit)]);
  }
  if (these.size() != those.size())
    throw DesignError(code::ports_differ,
                      fmt::format("the reference has {} port bits where the netlist has {}",
                                  these.size(), those.size()));
  return all;
}

Unrolled::Unrolled(const Circuit& gold, const Circuit& gate)
    : gold_{&gold, {}},
      gate_{&gate, {}},
      gate_input_(places(gold.inputs, gate.inputs)),
      gate_output_(places(gold.outputs, gate.outputs)) {
  power_up();
}

void Unrolled::power_up() {
  for (Side* s : {&gold_, &gate_}) s->state.assign(s->circuit->latches(), zero);
}

void Unrolled::any_state() {
  for (Side* s : {&gold_, &gate_})
    for (Literal& l : s->state) l = aig_.add_input();
}

void Unrolled::any_common_state() {
  any_state();
  gate_.state = gold_.state;
}

void Unrolled::agree(const std::vector<std::optional<std::size_t>>& when) {
  // The register that a literal of a circuit reads, as an index among the latches.
  auto latch = [](const Circuit& c, Literal l) -> std::optional<std::size_t> {
    const auto& inputs = c.aig.inputs();
    const auto at = std::find(inputs.begin(), inputs.end(), l >> 1);
    const auto i = static_cast<std::size_t>(at - inputs.begin());
    if (at == inputs.end() || i < c.inputs.size()) return std::nullopt;
    return i - c.inputs.size();
  };
  for (std::size_t o = 0; o < when.size(); ++o) {
    if (when[o]) continue;
    const Literal gold = gold_.circuit->output_values[o],
                  gate = gate_.circuit->output_values[gate_output_[o]];
    const auto in_gold = latch(*gold_.circuit, gold), in_gate = latch(*gate_.circuit, gate);
    if (!in_gold || !in_gate) continue;
    // Registers known to be equal stay unchanged: for example a valid bit that a reset has cleared.
    if ((gold_.state[*in_gold] ^ (gold & 1)) == (gate_.state[*in_gate] ^ (gate & 1))) continue;
    const Literal either_one = aig_.add_input();
    gold_.state[*in_gold] = either_one ^ (gold & 1);
    gate_.state[*in_gate] = either_one ^ (gate & 1);
  }
}

std::vector<Literal> Unrolled::copy(const Side& side, const std::vector<Literal>& inputs,
                                    const std::vector<Literal>& wanted) {
  auto all = inputs;
  all.insert(all.end(), side.state.begin(), side.state.end());
  return these(copied(aig_, side.circuit->aig, all), wanted);
}

void Unrolled::clock(const std::vector<std::pair<std::string, bool>>& held) {
  std::vector<Literal> inputs;
  for (const auto& bit : gold_.circuit->inputs) {
    inputs.push_back(zero);
    bool is_held = false;
    for (const auto& [port, value] : held)
      if (port == bit.port) inputs.back() = value ? one : zero, is_held = true;
    if (!is_held) inputs.back() = aig_.add_input();
  }
  add_frame(std::move(inputs));
}

void Unrolled::moving_clock() {
  std::vector<Literal> inputs;
  std::optional<std::size_t> en;
  Literal rst = zero;
  for (const auto& bit : gold_.circuit->inputs) {
    if (bit.port == "en") en = inputs.size();
    inputs.push_back(aig_.add_input());
    if (bit.port == "rst") rst = inputs.back();
  }
  if (en) inputs[*en] = aig_.either(inputs[*en], inverted(rst));
  add_frame(std::move(inputs));
}

void Unrolled::add_frame(std::vector<Literal> inputs) {
  Frame f{.inputs = std::move(inputs), .gold = {}, .gate = {}, .gold_nets = {}, .gate_nets = {}};
  std::vector<Literal> gate_inputs(f.inputs.size());
  for (std::size_t i = 0; i < f.inputs.size(); ++i) gate_inputs[gate_input_[i]] = f.inputs[i];
  auto step = [&](Side& side, const std::vector<Literal>& in, std::vector<Literal>& nets) {
    const Circuit& c = *side.circuit;
    auto wanted = c.output_values;
    wanted.insert(wanted.end(), c.next.begin(), c.next.end());
    wanted.insert(wanted.end(), c.net_values.begin(), c.net_values.end());
    auto values = copy(side, in, wanted);
    const auto states = values.begin() + static_cast<std::ptrdiff_t>(c.outputs.size());
    const auto inside = states + static_cast<std::ptrdiff_t>(c.next.size());
    side.state.assign(states, inside);
    nets.assign(inside, values.end());
    values.resize(c.outputs.size());
    return values;
  };
  f.gold = step(gold_, f.inputs, f.gold_nets);
  const auto gate = step(gate_, gate_inputs, f.gate_nets);
  for (std::size_t o : gate_output_) f.gate.push_back(gate[o]);
  frames_.push_back(std::move(f));
}

}  // namespace kumiki::backends::proof
