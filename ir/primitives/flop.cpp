// SPDX-License-Identifier: Apache-2.0
// FDRE and FDSE: rising edge, synchronous reset (set) that beats the enable.
#include <array>

#include "ir/primitive.h"

namespace kumiki::ir {
namespace {

constexpr std::array<Pin, 4> fdre_in{{{.name = "C", .shared = true, .clock = true},
                                      {.name = "CE", .shared = true, .tie = Tie::one},
                                      {"D"},
                                      {.name = "R", .shared = true, .tie = Tie::zero}}};
constexpr std::array<Pin, 4> fdse_in{{{.name = "C", .shared = true, .clock = true},
                                      {.name = "CE", .shared = true, .tie = Tie::one},
                                      {"D"},
                                      {.name = "S", .shared = true, .tie = Tie::zero}}};
constexpr std::array<Pin, 1> out_q{{{"Q"}}};

constexpr std::array<Param, 4> params_for(bool set) {
  constexpr auto bits = Param::Type::bits;
  return {{{.name = "INIT", .type = bits, .width = 1, .fallback = set},
           {.name = "IS_C_INVERTED", .type = bits, .width = 1},
           {.name = "IS_D_INVERTED", .type = bits, .width = 1},
           {.name = set ? "IS_S_INVERTED" : "IS_R_INVERTED", .type = bits, .width = 1}}};
}
constexpr auto fdre_params = params_for(false);
constexpr auto fdse_params = params_for(true);

Lanes all(std::uint64_t bit) { return Lanes{0} - (bit & 1); }

std::size_t state_words(const CellView& cell) { return cell.width; }

void power_up(const CellView& cell, Lanes* state) {
  for (std::uint32_t e = 0; e < cell.width; ++e) state[e] = all(cell.params[0]);
}

void evaluate(const CellView& cell, const Lanes*, const Lanes* state, Lanes* out) {
  for (std::uint32_t e = 0; e < cell.width; ++e) out[e] = state[e];
}

template <bool set>
void clock(const CellView& cell, const Lanes* in, Lanes* state) {
  auto w = cell.width;
  Lanes enable = in[1], invert = all(cell.params[2]), reset = in[2 + w] ^ all(cell.params[3]);
  for (std::uint32_t e = 0; e < w; ++e) {
    Lanes next = state[e] ^ (enable & (state[e] ^ in[2 + e] ^ invert));
    state[e] = set ? next | reset : next & ~reset;
  }
}

Cost cost(const CellView& cell) { return {.ffs = cell.width}; }
std::uint64_t reach_nothing(const CellView&, unsigned) { return 0; }

void legality(const CellView& cell, std::span<const Net>, Family,
              std::vector<std::string>& broken) {
  if (cell.params[1] != 0)
    broken.push_back("IS_C_INVERTED must be 0: every register here works on the rising edge");
}

}  // namespace

const Prototype& flop_prototype(Kind kind) {
  static const Prototype fdre{.kind = Kind::fdre,
                              .name = "FDRE",
                              .inputs = fdre_in,
                              .outputs = out_q,
                              .params = fdre_params,
                              .vector = true,
                              .cost = cost,
                              .reach = reach_nothing,
                              .legality = legality,
                              .kernel = {state_words, power_up, evaluate, clock<false>}};
  static const Prototype fdse{.kind = Kind::fdse,
                              .name = "FDSE",
                              .inputs = fdse_in,
                              .outputs = out_q,
                              .params = fdse_params,
                              .vector = true,
                              .cost = cost,
                              .reach = reach_nothing,
                              .legality = legality,
                              .kernel = {state_words, power_up, evaluate, clock<true>}};
  return kind == Kind::fdre ? fdre : fdse;
}

}  // namespace kumiki::ir
