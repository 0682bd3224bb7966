// SPDX-License-Identifier: Apache-2.0
// The entries of the DSP48E1 and the DSP48E2 in the primitive table.
#include <fmt/format.h>

#include "ir/arch.h"
#include "ir/primitives/dsp48e2_attributes.h"
#include "ir/primitives/dsp48e2_lanes.h"
#include "ir/primitives/dsp48e2_legality.h"
#include "ir/primitives/dsp48e2_pins.h"
#include "ir/primitives/dsp48e2_reach.h"

namespace kumiki::ir {
namespace {

template <Kind kind>
constexpr auto inputs = [] {
  std::array<Pin, dsp_input_pins(kind).size()> pins{};
  for (std::size_t i = 0; i < pins.size(); ++i) {
    const auto& p = dsp_input_pins(kind)[i];
    pins[i] = {.name = p.name, .width = p.width, .clock = p.member == nullptr, .tie = p.tie};
  }
  return pins;
}();

template <Kind kind>
constexpr auto outputs = [] {
  std::array<Pin, dsp_output_pins(kind).size()> pins{};
  for (std::size_t i = 0; i < pins.size(); ++i)
    pins[i] = {.name = dsp_output_pins(kind)[i].name, .width = dsp_output_pins(kind)[i].width};
  return pins;
}();

Cost cost(const CellView&) { return {.dsps = 1}; }

template <Kind kind>
std::uint64_t reach(const CellView& cell, unsigned output) {
  return combinational_inputs(dsp_attributes(kind, cell.params), output);
}

// The pins of both kinds have the same order.
constexpr unsigned input_index(std::string_view name) {
  unsigned i = 0;
  while (dsp48e2_input_pins[i].name != name) ++i;
  return i;
}
constexpr unsigned output_index(std::string_view name) {
  unsigned i = 0;
  while (dsp48e2_output_pins[i].name != name) ++i;
  return i;
}

// The cascades of A and B are wires; a bit of C moves the bits of P at and above it.
bool reach_bit(unsigned input, unsigned in_bit, unsigned output, unsigned out_bit) {
  if (output == output_index("ACOUT") || output == output_index("BCOUT")) return in_bit == out_bit;
  bool p = output == output_index("P") || output == output_index("PCOUT");
  return !p || input != input_index("C") || in_bit <= out_bit;
}

// The nets of all input pins.
struct Nets {
  Kind kind;
  std::span<const Net> in;
  std::span<const Net> operator[](std::string_view name) const {
    std::size_t at = 0;
    for (const auto& pin : dsp_input_pins(kind)) {
      if (pin.name == name) return in.subspan(at, pin.width);
      at += pin.width;
    }
    return {};
  }
};

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
                    const Nets& nets, std::vector<std::string>& broken) {
  auto need = [&](bool selected, std::string_view name, std::string_view by) {
    if (selected && is_open(nets[name]))
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

template <Kind kind>
void legality(const CellView& cell, std::span<const Net> in, Family family,
              std::vector<std::string>& broken) {
  if (arch::of(family).dsp.kind != kind)
    broken.push_back(fmt::format("{} does not exist in the {} family; use {}", prototype(kind).name,
                                 family_name(family), arch::of(family).dsp.name));
  for (std::size_t i = 0; i < cell.params.size(); ++i)
    if (const auto& p = dsp_parameters(kind)[i]; cell.params[i] > p.max) {
      broken.push_back(fmt::format("{} is {}: the greatest legal value is {}", p.param.name,
                                   cell.params[i], p.max));
      return;  // does not fit the attributes
    }
  Dsp48e2Attributes a = dsp_attributes(kind, cell.params);
  if (a.is_clk_inverted != 0)
    broken.push_back("IS_CLK_INVERTED must be 0: every register here works on the rising edge");
  const Nets nets{kind, in};
  Dsp48e2KnownControls controls{.opmode = known_bits(nets["OPMODE"]),
                                .alumode = known_bits(nets["ALUMODE"]),
                                .carryinsel = known_bits(nets["CARRYINSEL"]),
                                .inmode = known_bits(nets["INMODE"])};
  for (auto& sentence : violations(a, controls)) broken.push_back(std::move(sentence));
  check_cascades(a, controls, nets, broken);
}

std::size_t state_words(const CellView&) { return dsp48e2_lane_state_words(); }

template <Kind kind>
void power_up(const CellView& cell, Lanes* state) {
  dsp48e2_lane_power_up(dsp_attributes(kind, cell.params), state);
}

void evaluate(const CellView&, const Lanes* in, const Lanes* state, Lanes* out) {
  dsp48e2_lane_evaluate(in, state, out);
}

void clock(const CellView&, const Lanes* in, Lanes* state) { dsp48e2_lane_clock(in, state); }

template <Kind kind>
const Prototype& entry(std::string_view name) {
  static const Prototype dsp{.kind = kind,
                             .name = name,
                             .inputs = inputs<kind>,
                             .outputs = outputs<kind>,
                             .params = dsp_params(kind),
                             .cost = cost,
                             .reach = reach<kind>,
                             .reach_bit = reach_bit,
                             .legality = legality<kind>,
                             .kernel = {state_words, power_up<kind>, evaluate, clock}};
  return dsp;
}

}  // namespace

const Prototype& dsp_prototype(Kind kind) {
  return kind == Kind::dsp48e1 ? entry<Kind::dsp48e1>(arch::dsp48e1.name)
                               : entry<Kind::dsp48e2>(arch::dsp48e2.name);
}

}  // namespace kumiki::ir
