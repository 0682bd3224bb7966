// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/native/lut_function.h"

#include <algorithm>
#include <utility>

namespace kumiki::backends::native {
namespace {

// Truth tables of the six inputs themselves.
constexpr std::array<std::uint64_t, 6> input_table{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                   0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                   0xffff0000ffff0000, 0xffffffff00000000};

constexpr std::uint64_t bits_of(unsigned inputs) {
  return inputs == 6 ? ~std::uint64_t{0} : (std::uint64_t{1} << (1u << inputs)) - 1;
}

// The function repeated over all six inputs, so that cofactors are simple masks.
std::uint64_t widen(std::uint64_t table, unsigned inputs) {
  table &= bits_of(inputs);
  for (unsigned i = inputs; i < 6; ++i) table |= table << (1u << i);
  return table;
}

std::uint64_t cofactor(std::uint64_t table, unsigned i, bool value) {
  auto half = table & (value ? input_table[i] : ~input_table[i]);
  return value ? half | half >> (1u << i) : half | half << (1u << i);
}

// The table over the kept inputs, in their order.
std::uint64_t compress(std::uint64_t wide, std::span<const unsigned> kept) {
  std::uint64_t table = 0;
  for (unsigned i = 0; i < 1u << kept.size(); ++i) {
    unsigned at = 0;
    for (unsigned j = 0; j < kept.size(); ++j) at |= (i >> j & 1) << kept[j];
    table |= (wide >> at & 1) << i;
  }
  return table;
}

struct Known {
  Op op;
  std::uint8_t table;
};
constexpr std::array<Known, 8> of_two{{{Op::and2, 0x8},
                                       {Op::andn2, 0x2},
                                       {Op::nor2, 0x1},
                                       {Op::nand2, 0x7},
                                       {Op::or2, 0xe},
                                       {Op::orn2, 0xb},
                                       {Op::xor2, 0x6},
                                       {Op::xnor2, 0x9}}};
constexpr std::array<Known, 6> of_three{{{Op::and3, 0x80},
                                         {Op::or3, 0xfe},
                                         {Op::xor3, 0x96},
                                         {Op::xnor3, 0x69},
                                         {Op::majority, 0xe8},
                                         {Op::mux, 0xca}}};

// Compares with the known functions, with the operands in every order.
Op match(LutFunction& f, std::span<const Known> known, Op otherwise) {
  std::array<unsigned, 3> place{0, 1, 2};
  auto end = place.begin() + f.inputs;
  do {
    auto table = compress(widen(f.table, f.inputs), std::span(place).first(f.inputs));
    for (const Known& k : known)
      if (k.table == table) {
        auto in = f.in;
        for (unsigned j = 0; j < f.inputs; ++j) f.in[j] = in[place[j]];
        return k.op;
      }
  } while (std::next_permutation(place.begin(), end));
  return otherwise;
}

}  // namespace

LutFunction reduce(const LutFunction& f) {
  auto wide = widen(f.table, f.inputs);
  for (unsigned i = 0; i < f.inputs; ++i) {
    if (f.in[i] < 2) wide = cofactor(wide, i, f.in[i] == 1);
    for (unsigned j = 0; j < i; ++j)
      if (f.in[i] == f.in[j])
        wide = (cofactor(wide, i, true) & input_table[j]) |
               (cofactor(wide, i, false) & ~input_table[j]);
  }
  LutFunction out;
  std::array<unsigned, 6> kept{};
  for (unsigned i = 0; i < f.inputs; ++i)
    if (cofactor(wide, i, false) != cofactor(wide, i, true)) {
      kept[out.inputs] = i;
      out.in[out.inputs++] = f.in[i];
    }
  out.table = compress(wide, std::span(kept).first(out.inputs));
  return out;
}

Op recognise(LutFunction& f) {
  if (f.inputs == 1) return Op::invert;
  if (f.inputs == 2) return match(f, of_two, Op::xor2);
  if (f.inputs == 3) return match(f, of_three, Op::lut3);
  return static_cast<Op>(static_cast<unsigned>(Op::lut4) + f.inputs - 4);
}

}  // namespace kumiki::backends::native
