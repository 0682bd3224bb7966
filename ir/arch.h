// SPDX-License-Identifier: Apache-2.0
// What the architectures have, from UG479 and UG579 (slices), UG474 and UG574 (carry blocks), UG473
// and UG573 (memories). No other file of gen/ has the widths of a slice as numbers
// (tests/house/widths.py). Delays are in ir/delays.h, devices in gen/device.
#pragma once
#include <array>
#include <string_view>

#include "ir/primitive.h"

namespace kumiki::ir::arch {

// Widths in bits. The factors, D and the pre-adder's sum are in two's complement.
struct DspSlice {
  Kind kind;
  std::string_view name;
  int a, b, c, d, p;               // ports; A:B is as wide as P, the pre-adder as wide as D
  int multiplier_a, multiplier_b;  // factors: the low bits of A or the pre-adder's sum, and B
  int shift;                       // of P and PCIN, to the right
  int lanes;                       // into which the adder is cut at most
  int chain;       // slices of a cascade if the device is unknown: clock regions of 20, 24
  bool w;          // the adder has a fourth operand: P, RND or C
  bool preadds_b;  // the pre-adder takes A or B, and its sum is either factor
  bool wide_xor;
  int luts;  // for each slice: devices of the 7 series have 180 to 260, others 94 to 197
  constexpr int factor_bits() const { return multiplier_a - 1; }  // of an unsigned factor on A
};
// clang-format off
//                                 kind           name        A   B   C   D   P  factors shift lanes chain w     adds B wide XOR LUTs
inline constexpr DspSlice dsp48e1{Kind::dsp48e1, "DSP48E1", 30, 18, 48, 25, 48, 25, 18,   17,    4,   60, false, false, false, 220};
inline constexpr DspSlice dsp48e2{Kind::dsp48e2, "DSP48E2", 30, 18, 48, 27, 48, 27, 18,   17,    4,   96, true,  true,  true,  100};
// clang-format on

// With one write port and one read port.
struct MemoryShape {
  int depth, width;
};
inline constexpr std::array<MemoryShape, 6> block_ram_18k{
    {{512, 36}, {1024, 18}, {2048, 9}, {4096, 4}, {8192, 2}, {16384, 1}}};
inline constexpr MemoryShape ultra_ram{4096, 72};
inline constexpr int block_rams_of_an_ultra_ram = 16;  // of 18 Kbit: as many bits

struct Architecture {
  DspSlice dsp;
  int carry_positions;  // of a CARRY4 or CARRY8
  bool has_ultra_ram;
};
inline constexpr Architecture series7{dsp48e1, 4, false};
inline constexpr Architecture ultrascale{dsp48e2, 8, false};
inline constexpr Architecture ultrascale_plus{dsp48e2, 8, true};

constexpr const Architecture& of(Family family) {
  return family == Family::series7      ? series7
         : family == Family::ultrascale ? ultrascale
                                        : ultrascale_plus;
}

}  // namespace kumiki::ir::arch
