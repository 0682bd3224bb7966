// SPDX-License-Identifier: Apache-2.0
// LUT1 to LUT6 and LUT6_2. The truth table is one 64-bit word; input 0 is its least significant
// index.
#include <array>

#include "ir/primitive.h"

namespace kumiki::ir {
namespace {

constexpr std::array<Pin, 6> pins{{{"I0"}, {"I1"}, {"I2"}, {"I3"}, {"I4"}, {"I5"}}};
constexpr std::array<Pin, 1> out_o{{{"O"}}};
constexpr std::array<Pin, 2> out_both{{{"O6"}, {"O5"}}};

template <unsigned bits>
constexpr std::array<Param, 1> init{{{.name = "INIT", .type = Param::Type::bits, .width = bits}}};

// Folds a truth table of 2^k bits, one input a step: 2^k - 1 multiplexers on 64 lanes each.
template <unsigned k>
Lanes look_up(std::uint64_t table, const std::array<Lanes, 6>& in) {
  if constexpr (k == 0) return table & 1 ? ~Lanes{0} : 0;
  std::array<Lanes, 32> level;
  for (unsigned i = 0; i < (1u << k) / 2; ++i) {
    Lanes low = Lanes{0} - (table >> (2 * i) & 1), high = Lanes{0} - (table >> (2 * i + 1) & 1);
    level[i] = low ^ (in[0] & (low ^ high));
  }
  for (unsigned j = 1; j < k; ++j)
    for (unsigned i = 0; i < (1u << k) >> (j + 1); ++i)
      level[i] = level[2 * i] ^ (in[j] & (level[2 * i] ^ level[2 * i + 1]));
  return level[0];
}

template <unsigned k>
void evaluate(const CellView& cell, const Lanes* in, const Lanes*, Lanes* out) {
  for (std::uint32_t e = 0; e < cell.width; ++e) {
    std::array<Lanes, 6> picked{};
    for (unsigned i = 0; i < k; ++i) picked[i] = in[i * cell.width + e];
    out[e] = look_up<k>(cell.params[0], picked);
  }
}

void evaluate_both(const CellView& cell, const Lanes* in, const Lanes*, Lanes* out) {
  for (std::uint32_t e = 0; e < cell.width; ++e) {
    std::array<Lanes, 6> picked{};
    for (unsigned i = 0; i < 6; ++i) picked[i] = in[i * cell.width + e];
    out[e] = look_up<6>(cell.params[0], picked);
    out[cell.width + e] = look_up<5>(cell.params[0], picked);
  }
}

Cost one_lut(const CellView& cell) { return {.luts = cell.width}; }

template <unsigned k>
std::uint64_t reach_all(const CellView&, unsigned) {
  return (1u << k) - 1;
}

// O5 is the half of the table that I5 does not choose.
std::uint64_t reach_both(const CellView&, unsigned output) { return output == 0 ? 0x3f : 0x1f; }

// Elements of a vector cell are independent of each other.
bool same_element(unsigned, unsigned in_bit, unsigned, unsigned out_bit) {
  return in_bit == out_bit;
}

constexpr std::string_view names[] = {"", "LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6"};

template <unsigned k>
const Prototype& lut() {
  static const Prototype p{.kind = static_cast<Kind>(static_cast<unsigned>(Kind::lut1) + k - 1),
                           .name = names[k],
                           .inputs = std::span(pins).first(k),
                           .outputs = out_o,
                           .params = init<1u << k>,
                           .vector = true,
                           .cost = one_lut,
                           .reach = reach_all<k>,
                           .reach_bit = same_element,
                           .kernel = {.evaluate = evaluate<k>}};
  return p;
}

}  // namespace

const Prototype& lut_prototype(unsigned inputs) {
  switch (inputs) {
    case 1:
      return lut<1>();
    case 2:
      return lut<2>();
    case 3:
      return lut<3>();
    case 4:
      return lut<4>();
    case 5:
      return lut<5>();
    default:
      return lut<6>();
  }
}

const Prototype& lut6_2_prototype() {
  static const Prototype p{.kind = Kind::lut6_2,
                           .name = "LUT6_2",
                           .inputs = pins,
                           .outputs = out_both,
                           .params = init<64>,
                           .vector = true,
                           .cost = one_lut,
                           .reach = reach_both,
                           .reach_bit = same_element,
                           .kernel = {.evaluate = evaluate_both}};
  return p;
}

}  // namespace kumiki::ir
