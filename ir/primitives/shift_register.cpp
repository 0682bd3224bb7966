// SPDX-License-Identifier: Apache-2.0
// SRL16E and SRLC32E: a LUT as a shift register with an addressed tap. No reset.
#include <array>
#include <cstring>

#include "ir/primitive.h"

namespace kumiki::ir {
namespace {

constexpr std::array<Pin, 7> srl16_in{{{.name = "A0", .shared = true},
                                       {.name = "A1", .shared = true},
                                       {.name = "A2", .shared = true},
                                       {.name = "A3", .shared = true},
                                       {.name = "CE", .shared = true, .tie = Tie::one},
                                       {.name = "CLK", .shared = true, .clock = true},
                                       {"D"}}};
constexpr std::array<Pin, 4> srl32_in{{{.name = "A", .width = 5, .shared = true},
                                       {.name = "CE", .shared = true, .tie = Tie::one},
                                       {.name = "CLK", .shared = true, .clock = true},
                                       {"D"}}};
constexpr std::array<Pin, 1> srl16_out{{{"Q"}}};
constexpr std::array<Pin, 2> srl32_out{{{"Q"}, {"Q31"}}};

template <unsigned bits>
constexpr std::array<Param, 2> params{
    {{.name = "INIT", .type = Param::Type::bits, .width = bits},
     {.name = "IS_CLK_INVERTED", .type = Param::Type::bits, .width = 1}}};

// Both have log2(length) address bits first, then CE, CLK and the data.
template <unsigned address_bits>
struct Srl {
  static constexpr unsigned length = 1u << address_bits;

  static std::size_t state_words(const CellView& cell) { return std::size_t{cell.width} * length; }

  static void power_up(const CellView& cell, Lanes* state) {
    for (std::uint32_t e = 0; e < cell.width; ++e)
      for (unsigned i = 0; i < length; ++i)
        state[e * length + i] = Lanes{0} - (cell.params[0] >> i & 1);
  }

  static void evaluate(const CellView& cell, const Lanes* in, const Lanes* state, Lanes* out) {
    for (std::uint32_t e = 0; e < cell.width; ++e, state += length) {
      Lanes level[length];
      std::memcpy(level, state, sizeof level);
      for (unsigned j = 0; j < address_bits; ++j)
        for (unsigned i = 0; i < length >> (j + 1); ++i)
          level[i] = level[2 * i] ^ (in[j] & (level[2 * i] ^ level[2 * i + 1]));
      out[e] = level[0];
      if (address_bits == 5) out[cell.width + e] = state[length - 1];
    }
  }

  static void clock(const CellView& cell, const Lanes* in, Lanes* state) {
    Lanes enable = in[address_bits];
    const Lanes* data = in + address_bits + 2;
    for (std::uint32_t e = 0; e < cell.width; ++e, state += length) {
      for (unsigned i = length - 1; i > 0; --i) state[i] ^= enable & (state[i] ^ state[i - 1]);
      state[0] ^= enable & (state[0] ^ data[e]);
    }
  }
};

Cost cost(const CellView& cell) { return {.lut_rams = cell.width}; }
std::uint64_t reach16(const CellView&, unsigned) { return 0xf; }
std::uint64_t reach32(const CellView&, unsigned output) { return output == 0 ? 1 : 0; }

void legality(const CellView& cell, std::span<const Net>, Family,
              std::vector<std::string>& broken) {
  if (cell.params[1] != 0)
    broken.push_back("IS_CLK_INVERTED must be 0: every register here works on the rising edge");
}

}  // namespace

const Prototype& shift_register_prototype(Kind kind) {
  using S16 = Srl<4>;
  using S32 = Srl<5>;
  static const Prototype srl16{
      .kind = Kind::srl16e,
      .name = "SRL16E",
      .inputs = srl16_in,
      .outputs = srl16_out,
      .params = params<16>,
      .vector = true,
      .cost = cost,
      .reach = reach16,
      .legality = legality,
      .kernel = {S16::state_words, S16::power_up, S16::evaluate, S16::clock}};
  static const Prototype srl32{
      .kind = Kind::srlc32e,
      .name = "SRLC32E",
      .inputs = srl32_in,
      .outputs = srl32_out,
      .params = params<32>,
      .vector = true,
      .cost = cost,
      .reach = reach32,
      .legality = legality,
      .kernel = {S32::state_words, S32::power_up, S32::evaluate, S32::clock}};
  return kind == Kind::srl16e ? srl16 : srl32;
}

}  // namespace kumiki::ir
