// SPDX-License-Identifier: Apache-2.0
// The DSP48E2's entry in the primitive table: pins, parameters, rules and reach from their own
// files, the kernel as 64 scalar models side by side.
#include <array>
#include <cstring>

#include "ir/primitive.h"
#include "ir/primitives/dsp48e2_legality.h"
#include "ir/primitives/dsp48e2_model.h"
#include "ir/primitives/dsp48e2_reach.h"

namespace kumiki::ir {
namespace {

bool is_cascade(std::string_view pin) {
  return pin == "PCIN" || pin == "ACIN" || pin == "BCIN" || pin == "CARRYCASCIN" ||
         pin == "MULTSIGNIN";
}

Tie tie_of(std::string_view pin) {
  if (pin == "CLK") return Tie::required;
  if (is_cascade(pin)) return Tie::open;
  return pin.starts_with("CE") ? Tie::one : Tie::zero;
}

const std::vector<Pin>& input_pins() {
  static const auto pins = [] {
    std::vector<Pin> all;
    for (const auto& p : dsp48e2_input_pins())
      all.push_back(
          {.name = p.name, .width = p.width, .clock = p.name == "CLK", .tie = tie_of(p.name)});
    return all;
  }();
  return pins;
}

const std::vector<Pin>& output_pins() {
  static const auto pins = [] {
    std::vector<Pin> all;
    for (const auto& p : dsp48e2_output_pins()) all.push_back({.name = p.name, .width = p.width});
    return all;
  }();
  return pins;
}

using States = std::array<Dsp48e2State, 64>;
static_assert(sizeof(Dsp48e2State) % sizeof(Lanes) == 0 && alignof(Dsp48e2State) <= alignof(Lanes));

std::size_t state_words(const CellView&) { return sizeof(States) / sizeof(Lanes); }

void power_up(const CellView&, Lanes* state) {
  const States fresh{};
  std::memcpy(state, &fresh, sizeof fresh);
}

Dsp48e2Inputs of_lane(const Lanes* in, unsigned lane) {
  Dsp48e2Inputs values;
  for (const auto& p : dsp48e2_input_pins()) {
    if (p.member)
      for (unsigned b = 0; b < p.width; ++b) values.*p.member |= (in[b] >> lane & 1) << b;
    in += p.width;
  }
  return values;
}

void evaluate(const CellView& cell, const Lanes* in, const Lanes* state, Lanes* out) {
  const auto attributes = dsp48e2_attributes(cell.params);
  std::fill_n(out, total_width(output_pins(), cell), 0);
  for (unsigned lane = 0; lane < 64; ++lane) {
    Dsp48e2State s;
    std::memcpy(&s, reinterpret_cast<const char*>(state) + lane * sizeof s, sizeof s);
    const auto values = outputs(attributes, s, of_lane(in, lane));
    Lanes* at = out;
    for (const auto& p : dsp48e2_output_pins()) {
      for (unsigned b = 0; b < p.width; ++b) at[b] |= (values.*p.member >> b & 1) << lane;
      at += p.width;
    }
  }
}

void clock(const CellView& cell, const Lanes* in, Lanes* state) {
  const auto attributes = dsp48e2_attributes(cell.params);
  for (unsigned lane = 0; lane < 64; ++lane) {
    char* at = reinterpret_cast<char*>(state) + lane * sizeof(Dsp48e2State);
    Dsp48e2State s;
    std::memcpy(&s, at, sizeof s);
    clock(attributes, s, of_lane(in, lane));
    std::memcpy(at, &s, sizeof s);
  }
}

Cost cost(const CellView&) { return {.dsps = 1}; }

std::uint64_t reach(const CellView& cell, unsigned output) {
  return combinational_inputs(dsp48e2_attributes(cell.params), output);
}

Dsp48e2KnownBits known_bits(std::span<const Net> nets) {
  Dsp48e2KnownBits bits;
  for (std::size_t b = 0; b < nets.size(); ++b) {
    if (!nets[b].is_constant()) continue;
    bits.known = static_cast<std::uint16_t>(bits.known | 1u << b);
    if (nets[b] == net_one) bits.value = static_cast<std::uint16_t>(bits.value | 1u << b);
  }
  return bits;
}

void legality(const CellView& cell, std::span<const Net> in, Family family,
              std::vector<std::string>& broken) {
  if (family == Family::series7)
    broken.push_back(
        "DSP48E2 does not exist in the 7series family: ultrascale and ultrascale+ have it");
  Dsp48e2KnownControls controls;
  std::size_t at = 0;
  for (const Pin& p : input_pins()) {
    auto nets = in.subspan(at, p.width);
    if (p.name == "OPMODE") controls.opmode = known_bits(nets);
    if (p.name == "ALUMODE") controls.alumode = known_bits(nets);
    if (p.name == "CARRYINSEL") controls.carryinsel = known_bits(nets);
    at += p.width;
  }
  const auto attributes = dsp48e2_attributes(cell.params);
  for (auto& rule : violations(attributes)) broken.push_back(std::move(rule));
  for (auto& rule : violations(attributes, controls)) broken.push_back(std::move(rule));
}

}  // namespace

const Prototype& dsp48e2_prototype() {
  static const Prototype p{.kind = Kind::dsp48e2,
                           .name = "DSP48E2",
                           .inputs = input_pins(),
                           .outputs = output_pins(),
                           .params = dsp48e2_params(),
                           .cost = cost,
                           .reach = reach,
                           .legality = legality,
                           .kernel = {state_words, power_up, evaluate, clock}};
  return p;
}

}  // namespace kumiki::ir
