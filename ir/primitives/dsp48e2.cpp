// SPDX-License-Identifier: Apache-2.0
// The DSP48E2's entry in the primitive table.
#include <fmt/format.h>

#include "ir/primitives/dsp48e2_attributes.h"
#include "ir/primitives/dsp48e2_lanes.h"
#include "ir/primitives/dsp48e2_legality.h"
#include "ir/primitives/dsp48e2_pins.h"
#include "ir/primitives/dsp48e2_reach.h"

namespace kumiki::ir {
namespace {

constexpr auto inputs = [] {
  std::array<Pin, dsp48e2_input_pins.size()> pins{};
  for (std::size_t i = 0; i < pins.size(); ++i) {
    const auto& p = dsp48e2_input_pins[i];
    pins[i] = {.name = p.name, .width = p.width, .clock = p.member == nullptr, .tie = p.tie};
  }
  return pins;
}();

constexpr auto outputs = [] {
  std::array<Pin, dsp48e2_output_pins.size()> pins{};
  for (std::size_t i = 0; i < pins.size(); ++i)
    pins[i] = {.name = dsp48e2_output_pins[i].name, .width = dsp48e2_output_pins[i].width};
  return pins;
}();

Cost cost(const CellView&) { return {.dsps = 1}; }

std::uint64_t reach(const CellView& cell, unsigned output) {
  return combinational_inputs(dsp48e2_attributes(cell.params), output);
}

constexpr unsigned input_index(std::string_view name) {
  unsigned i = 0;
  while (inputs[i].name != name) ++i;
  return i;
}
constexpr unsigned output_index(std::string_view name) {
  unsigned i = 0;
  while (outputs[i].name != name) ++i;
  return i;
}

// The cascades of A and B are wires; a bit of C moves the bits of P at and above it.
bool reach_bit(unsigned input, unsigned in_bit, unsigned output, unsigned out_bit) {
  if (output == output_index("ACOUT") || output == output_index("BCOUT")) return in_bit == out_bit;
  bool p = output == output_index("P") || output == output_index("PCOUT");
  return !p || input != input_index("C") || in_bit <= out_bit;
}

// The nets of one pin.
std::span<const Net> nets(std::span<const Net> in, std::string_view name) {
  std::size_t at = 0;
  for (const Pin& pin : inputs) {
    if (pin.name == name) return in.subspan(at, pin.width);
    at += pin.width;
  }
  return {};
}

Dsp48e2KnownBits known_bits(std::span<const Net> pin) {
  Dsp48e2KnownBits bits;
  for (std::size_t i = 0; i < pin.size(); ++i)
    if (pin[i].is_constant()) {
      bits.known = static_cast<std::uint16_t>(bits.known | 1u << i);
      if (pin[i] == net_one) bits.value = static_cast<std::uint16_t>(bits.value | 1u << i);
    }
  return bits;
}

bool is_open(std::span<const Net> pin) {
  for (Net net : pin)
    if (net == net_open) return true;
  return false;
}

// A cascade that is selected must be connected.
void check_cascades(const Dsp48e2Attributes& a, const Dsp48e2KnownControls& controls,
                    std::span<const Net> in, std::vector<std::string>& broken) {
  auto need = [&](bool selected, std::string_view name, std::string_view by) {
    if (selected && is_open(nets(in, name)))
      broken.push_back(fmt::format("{} selects {}, which is open: connect it", by, name));
  };
  unsigned opmode = controls.opmode.value ^ a.is_opmode_inverted, z = opmode >> 4 & 7;
  bool z_known = (controls.opmode.known >> 4 & 7) == 7;
  unsigned sel = controls.carryinsel.value;
  bool sel_known = controls.carryinsel.known == 7;
  need(a.a_input == dsp48e2::Path::cascade, "ACIN", "A_INPUT CASCADE");
  need(a.b_input == dsp48e2::Path::cascade, "BCIN", "B_INPUT CASCADE");
  need(z_known && (z == 1 || z == 5), "PCIN", "OPMODE[6:4]");
  need(z_known && z == 4, "MULTSIGNIN", "OPMODE[6:4]");
  need(sel_known && (sel == 1 || sel == 3), "PCIN", "CARRYINSEL");
  need(sel_known && sel == 2, "CARRYCASCIN", "CARRYINSEL");
}

void legality(const CellView& cell, std::span<const Net> in, Family family,
              std::vector<std::string>& broken) {
  if (family == Family::series7) broken.push_back("DSP48E2 does not exist in the 7series family");
  for (std::size_t i = 0; i < cell.params.size(); ++i)
    if (const auto& p = dsp48e2_parameters()[i]; cell.params[i] > p.max) {
      broken.push_back(fmt::format("{} is {}: the greatest legal value is {}", p.param.name,
                                   cell.params[i], p.max));
      return;  // does not fit the attributes
    }
  Dsp48e2Attributes a = dsp48e2_attributes(cell.params);
  if (a.is_clk_inverted != 0)
    broken.push_back("IS_CLK_INVERTED must be 0: every register here works on the rising edge");
  Dsp48e2KnownControls controls{.opmode = known_bits(nets(in, "OPMODE")),
                                .alumode = known_bits(nets(in, "ALUMODE")),
                                .carryinsel = known_bits(nets(in, "CARRYINSEL"))};
  for (auto& sentence : violations(a, controls)) broken.push_back(std::move(sentence));
  check_cascades(a, controls, in, broken);
}

std::size_t state_words(const CellView&) { return dsp48e2_lane_state_words(); }

void power_up(const CellView& cell, Lanes* state) {
  dsp48e2_lane_power_up(dsp48e2_attributes(cell.params), state);
}

void evaluate(const CellView&, const Lanes* in, const Lanes* state, Lanes* out) {
  dsp48e2_lane_evaluate(in, state, out);
}

void clock(const CellView&, const Lanes* in, Lanes* state) { dsp48e2_lane_clock(in, state); }

}  // namespace

const Prototype& dsp48e2_prototype() {
  static const Prototype dsp{.kind = Kind::dsp48e2,
                             .name = "DSP48E2",
                             .inputs = inputs,
                             .outputs = outputs,
                             .params = dsp48e2_params(),
                             .cost = cost,
                             .reach = reach,
                             .reach_bit = reach_bit,
                             .legality = legality,
                             .kernel = {state_words, power_up, evaluate, clock}};
  return dsp;
}

}  // namespace kumiki::ir
