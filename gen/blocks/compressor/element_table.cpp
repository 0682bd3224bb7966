// SPDX-License-Identifier: Apache-2.0
// The table of elements. Names of atoms are their column counts from high to low, without the carry
// in: A14 takes four bits of column 0, one of column 1 and the carry.
//
// How an atom works: position i adds a digit (0, 1 or 2) to the carry, with S = (digit is odd) and
// DI = (digit is 2). The inputs of a column may add up to more than its digit. Half of that
// remainder goes to the column above, whose LUTs compute it again. DI does not matter for an odd
// digit, and an even digit may be 0 or 2. So DI is mostly one of the inputs, and the remainder
// comes from the others.
//
// H05 is A06 without its first position: the parity of the five bits is a leaf, for a B2 or for a
// carry-in.
#include "gen/blocks/compressor/elements.h"

namespace kumiki::gen::compressor {
namespace {

constexpr bool maj(bool a, bool b, bool c) { return a + b + c > 1; }
// Half of the sum, rounded down.
constexpr unsigned half(bool a, bool b, bool c, bool d) { return (a + b + c + d) / 2u; }
constexpr unsigned half(bool a, bool b, bool c, bool d, bool e) { return (a + b + c + d + e) / 2u; }
constexpr bool odd(unsigned n) { return n & 1; }
// S and DI of a position that adds `digit`.
constexpr Pair adds(unsigned digit) { return pair(digit == 1, digit == 2); }

Element full_adder() {
  return {.name = "fa",
          .column = {0, 0, 0},
          .luts = {{table([](bool a, bool b, bool c) { return pair(a ^ b ^ c, maj(a, b, c)); }),
                    {0, 1, 2}}},
          .outputs = {{0, false, 0}, {0, true, 1}}};
}

// A full adder with a LUT for each of its two functions: room for three pairs.
Element full_adder_of_pairs() {
  return {.name = "p3",
          .column = {0, 0, 0},
          .luts = {{table([](bool a, bool b, bool c) { return a ^ b ^ c; }), {0, 1, 2}},
                   {table([](bool a, bool b, bool c) { return maj(a, b, c); }), {0, 1, 2}}},
          .outputs = {{0, false, 0}, {1, false, 1}}};
}

// Two full adders in a row on five bits. The carry of the first is not an output: the LUT that adds
// it to the other bits of its weight computes it again.
Element counter_25() {
  return {.name = "c25",
          .column = {0, 0, 0, 0, 0, 1, 1},
          .luts = {{table([](bool a, bool b, bool c, bool d, bool e) {
                      bool t = a ^ b ^ c;
                      return pair(t ^ d ^ e, maj(t, d, e));
                    }),
                    {0, 1, 2, 3, 4}},
                   {table([](bool a, bool b, bool c, bool y, bool z) {
                      bool m = maj(a, b, c);
                      return pair(m ^ y ^ z, maj(m, y, z));
                    }),
                    {0, 1, 2, 5, 6}}},
          .outputs = {{0, false, 0}, {0, true, 1}, {1, false, 1}, {1, true, 2}}};
}

// Two bits of the column above and three of this one: three outputs that take every value.
Element counter_23() {
  return {.name = "c23",
          .column = {0, 0, 0, 1, 1},
          .luts = {{table([](bool a, bool b, bool c, bool y, bool z) {
                      return pair(a ^ b ^ c, maj(a, b, c) ^ y ^ z);
                    }),
                    {0, 1, 2, 3, 4}},
                   {table([](bool a, bool b, bool c, bool y, bool z) {
                      return maj(maj(a, b, c), y, z);
                    }),
                    {0, 1, 2, 3, 4}}},
          .outputs = {{0, false, 0}, {0, true, 1}, {1, false, 2}}};
}

Element counter_63() {
  auto bit = [](unsigned weight) {
    Table t{.inputs = 6};
    for (unsigned i = 0; i < 64; ++i)
      t.bits |= std::uint64_t(__builtin_popcount(i) >> weight & 1) << i;
    return t;
  };
  std::vector<std::uint8_t> all{0, 1, 2, 3, 4, 5};
  return {.name = "c63",
          .column = {0, 0, 0, 0, 0, 0},
          .luts = {{bit(0), all}, {bit(1), all}, {bit(2), all}},
          .outputs = {{0, false, 0}, {1, false, 1}, {2, false, 2}}};
}

// Two pairs become two bits.
Element two_pairs() {
  return {.name = "p2",
          .column = {0, 0},
          .luts = {{table([](bool a, bool b) { return pair(a, b); }), {0, 1}}},
          .outputs = {{0, false, 0}, {0, true, 0}}};
}

const auto xor3_c = table([](bool a, bool b, bool c) { return pair(a ^ b ^ c, c); });
const auto xor4_d = table([](bool a, bool b, bool c, bool d) { return pair(a ^ b ^ c ^ d, d); });
const auto xor5_e =
    table([](bool a, bool b, bool c, bool d, bool e) { return pair(a ^ b ^ c ^ d ^ e, e); });
const auto xor6 =
    table([](bool a, bool b, bool c, bool d, bool e, bool f) { return a ^ b ^ c ^ d ^ e ^ f; });

Element a2() {
  return {.name = "A2",
          .is_atom = true,
          .column = {0, 0},
          .luts = {{table([](bool x, bool y) { return pair(x ^ y, x); }), {0, 1}}}};
}

// The same with DI around the LUT: room for a leaf of five nets.
Element b2() {
  return {.name = "B2",
          .is_atom = true,
          .column = {0, 0},
          .luts = {{table([](bool x, bool y) { return x ^ y; }), {0, 1}, 1}}};
}

// A full adder without a LUT: the readers of its outputs have room for three nets.
Element v3() {
  return {.name = "v3",
          .column = {0, 0, 0},
          .luts = {},
          .leaves = {{table([](bool a, bool b, bool c) { return a ^ b ^ c; }), {0, 1, 2}, 0},
                     {table([](bool a, bool b, bool c) { return maj(a, b, c); }), {0, 1, 2}, 1}}};
}

Element h05() {
  return {
      .name = "H05",
      .is_atom = true,
      .column = {0, 0, 0, 0, 0},
      .luts = {{table([](bool a, bool b, bool c, bool d, bool e) {
                  return adds(half(a, b, c, d, e));
                }),
                {0, 1, 2, 3, 4}}},
      .leaves = {{table([](bool a, bool b, bool c, bool d, bool e) { return a ^ b ^ c ^ d ^ e; }),
                  {0, 1, 2, 3, 4},
                  0}},
      .first = 1};
}

Element a14() {
  return {.name = "A14",
          .is_atom = true,
          .column = {0, 0, 0, 0, 1},
          .luts = {{xor4_d, {0, 1, 2, 3}},
                   {table([](bool a, bool b, bool c, bool z) { return pair(maj(a, b, c) ^ z, z); }),
                    {0, 1, 2, 4}}}};
}

// The same with both DI around the LUTs: room for two pairs in column 0.
Element b14() {
  return {
      .name = "B14",
      .is_atom = true,
      .column = {0, 0, 0, 0, 1},
      .luts = {
          {table([](bool a, bool b, bool c, bool d) { return a ^ b ^ c ^ d; }), {0, 1, 2, 3}, 3},
          {table([](bool a, bool b, bool c, bool z) { return maj(a, b, c) ^ z; }),
           {0, 1, 2, 4},
           4}}};
}

Element a13() {
  return {
      .name = "A13",
      .is_atom = true,
      .column = {0, 0, 0, 1},
      .luts = {{xor3_c, {0, 1, 2}},
               {table([](bool a, bool b, bool z) { return pair((a & b) ^ z, z); }), {0, 1, 3}}}};
}

Element a06() {
  return {
      .name = "A06",
      .is_atom = true,
      .column = {0, 0, 0, 0, 0, 0},
      .luts = {
          {xor6, {0, 1, 2, 3, 4, 5}, 5},
          {table([](bool a, bool b, bool c, bool d, bool e) { return adds(half(a, b, c, d, e)); }),
           {0, 1, 2, 3, 4}}}};
}

// Columns 5, 2, 1.
Element a125() {
  return {.name = "A125",
          .is_atom = true,
          .column = {0, 0, 0, 0, 0, 1, 1, 2},
          .luts = {{xor5_e, {0, 1, 2, 3, 4}},
                   {table([](bool a, bool b, bool c, bool d, bool y, bool z) {
                      return odd(half(a, b, c, d) + y + z);
                    }),
                    {0, 1, 2, 3, 5, 6},
                    6},
                   {table([](bool a, bool b, bool c, bool d, bool y, bool x) {
                      return odd((half(a, b, c, d) + y) / 2 + x);
                    }),
                    {0, 1, 2, 3, 5, 7},
                    7}}};
}

// Columns 4, 3, 1.
Element a134() {
  return {.name = "A134",
          .is_atom = true,
          .column = {0, 0, 0, 0, 1, 1, 1, 2},
          .luts = {{xor4_d, {0, 1, 2, 3}},
                   {table([](bool a, bool b, bool c, bool x, bool y, bool z) {
                      return odd(maj(a, b, c) + x + y + z);
                    }),
                    {0, 1, 2, 4, 5, 6},
                    6},
                   {table([](bool a, bool b, bool c, bool x, bool y, bool u) {
                      return maj(maj(a, b, c), x, y) ^ u;
                    }),
                    {0, 1, 2, 4, 5, 7},
                    7}}};
}

// Columns 6, 1, 1.
Element a116() {
  return {.name = "A116",
          .is_atom = true,
          .column = {0, 0, 0, 0, 0, 0, 1, 2},
          .luts = {{xor6, {0, 1, 2, 3, 4, 5}, 5},
                   {table([](bool a, bool b, bool c, bool d, bool e, bool y) {
                      return odd(half(a, b, c, d, e) + y);
                    }),
                    {0, 1, 2, 3, 4, 6},
                    6},
                   {table([](bool a, bool b, bool c, bool d, bool e, bool u) {
                      return odd(half(a, b, c, d, e) / 2 + u);
                    }),
                    {0, 1, 2, 3, 4, 7},
                    7}}};
}

// Columns 4, 2, 3, 1. The remainder of column 0 is DI of column 1, so column 1 sends up only x & y.
Element a1324() {
  return {.name = "A1324",
          .is_atom = true,
          .column = {0, 0, 0, 0, 1, 1, 2, 2, 2, 3},
          .luts = {{xor4_d, {0, 1, 2, 3}},
                   {table([](bool a, bool b, bool c, bool x, bool y) {
                      return pair(maj(a, b, c) ^ x ^ y, maj(a, b, c));
                    }),
                    {0, 1, 2, 4, 5}},
                   {table([](bool x, bool y, bool u, bool v, bool w) {
                      return pair((x & y) ^ u ^ v ^ w, w);
                    }),
                    {4, 5, 6, 7, 8}},
                   {table([](bool x, bool y, bool u, bool v, bool t) {
                      return pair(maj(x & y, u, v) ^ t, t);
                    }),
                    {4, 5, 6, 7, 9}}}};
}

// Columns 3, 3, 3, 1.
Element a1333() {
  return {.name = "A1333",
          .is_atom = true,
          .column = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3},
          .luts = {{xor3_c, {0, 1, 2}},
                   {table([](bool a, bool b, bool x, bool y, bool z) {
                      return pair((a & b) ^ x ^ y ^ z, a & b);
                    }),
                    {0, 1, 3, 4, 5}},
                   {table([](bool x, bool y, bool z, bool u, bool v, bool w) {
                      return maj(x, y, z) ^ u ^ v ^ w;
                    }),
                    {3, 4, 5, 6, 7, 8},
                    8},
                   {table([](bool x, bool y, bool z, bool u, bool v, bool t) {
                      return maj(maj(x, y, z), u, v) ^ t;
                    }),
                    {3, 4, 5, 6, 7, 9},
                    9}}};
}

// Columns 5, 1, 3, 1. If column 1 is even, DI compensates a remainder of a & b & x.
Element a1315() {
  return {.name = "A1315",
          .is_atom = true,
          .column = {0, 0, 0, 0, 0, 1, 2, 2, 2, 3},
          .luts = {{xor5_e, {0, 1, 2, 3, 4}},
                   {table([](bool a, bool b, bool c, bool d, bool x) {
                      unsigned all = half(a, b, c, d) + x;
                      return pair(odd(all), all / 2 != unsigned(a & b & x));
                    }),
                    {0, 1, 2, 3, 5}},
                   {table([](bool a, bool b, bool x, bool u, bool v, bool w) {
                      return (a & b & x) ^ u ^ v ^ w;
                    }),
                    {0, 1, 5, 6, 7, 8},
                    8},
                   {table([](bool a, bool b, bool x, bool u, bool v, bool t) {
                      return maj(a & b & x, u, v) ^ t;
                    }),
                    {0, 1, 5, 6, 7, 9},
                    9}}};
}

// Columns 4, 2, 4, 0.
Element a0424() {
  return {
      .name = "A0424",
      .is_atom = true,
      .column = {0, 0, 0, 0, 1, 1, 2, 2, 2, 2},
      .luts = {
          {xor4_d, {0, 1, 2, 3}},
          {table([](bool a, bool b, bool c, bool x, bool y) {
             return pair(maj(a, b, c) ^ x ^ y, maj(a, b, c));
           }),
           {0, 1, 2, 4, 5}},
          {table([](bool x, bool y, bool u, bool v, bool w, bool t) {
             return (x & y) ^ u ^ v ^ w ^ t;
           }),
           {4, 5, 6, 7, 8, 9},
           9},
          {table([](bool x, bool y, bool u, bool v, bool w) { return adds(half(x & y, u, v, w)); }),
           {4, 5, 6, 7, 8}}}};
}

}  // namespace

const std::vector<Element>& element_descriptions() {
  static const std::vector<Element> all{
      full_adder(), counter_25(), counter_63(), full_adder_of_pairs(),
      two_pairs(),  a2(),         a13(),        a14(),
      b14(),        a06(),        a125(),       a134(),
      a116(),       a1324(),      a1333(),      a1315(),
      a0424(),      b2(),         v3(),         h05(),
      counter_23()};
  return all;
}

}  // namespace kumiki::gen::compressor
