// SPDX-License-Identifier: Apache-2.0
// The packed word: the source of every bit of a port, and the lanes of a 48-bit P.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/blocks/packing/format.h"
#include "ir/arch.h"

namespace kumiki::gen::packing {

constexpr int kWordBits = ir::arch::dsp48e2.p;

// A run of bits on a port. Bits that no piece names are 0.
struct Piece {
  enum class From : std::uint8_t { Constant, Slice, Operand };
  From from = From::Constant;
  OperandRef operand;   // Operand: raw bits, as the user's port carries them
  int source = 0;       // Slice: which of the `sources` of the slice that has this port
  int lsb = 0;          // first bit taken from the source
  int width = 1;        // bits on the port
  int at = 0;           // first bit on the port
  bool repeat = false;  // bit `lsb` on every bit: a sign extension
  bool invert = false;
  std::uint64_t value = 0;  // Constant

  static Piece constant(std::uint64_t value, int width, int at);
  static Piece bits(int source, int lsb, int width, int at);
  static Piece spread(int source, int bit, int width, int at);
  bool operator==(const Piece&) const = default;
};

struct Wiring {
  int width = 0;  // 0: the port is not used
  std::vector<Piece> pieces;

  bool used() const { return width > 0; }
  bool operator==(const Wiring&) const = default;
};

// A field of a source's P, sign-extended by wires to `width` bits.
void add_sign_extended(Wiring& wiring, int source, int lsb, int bits, int at, int width);
// Unsigned, or two's complement of `value` in `width` bits.
void add_constant(Wiring& wiring, Exact value, int width, int at);

// A lane of P. Lanes lie side by side from bit 0 up and the last one ends at bit 47.
struct Lane {
  enum class Kind : std::uint8_t {
    Product,  // a sum of products packed * shared
    Carries,  // carries of the low lane, moved here (carry-lane)
  };
  Kind kind = Kind::Product;
  int packed = 0;          // which packed operand
  int shared = 0;          // which shared operand
  int offset = 0;          // first bit
  int width = 0;           // bits up to the next lane
  Interval term;           // one product as the slice multiplies it, after re-centring
  int term_bits = 0;       // bits of one product; what is left of `width` is the guard
  Exact bias = 0;          // R: initial value of the lane, so that it never goes below zero
  int canary = 0;          // lowest bits of the lane that show the carry from below
  bool is_signed = false;  // read as two's complement: lanes without a bias and the top lane

  int guard() const { return width - term_bits; }
  bool operator==(const Lane&) const = default;
};

// A slice multiplies the operand minus its centre: U8 at centre 128 is a signed operand.
struct Centres {
  std::vector<std::int64_t> packed;
  std::vector<std::int64_t> shared;
  bool operator==(const Centres&) const = default;
};

// Words on the multiplier's ports. The pre-adder adds two signed fields that meet.
struct Ports {
  Wiring a;  // 27 bits
  Wiring d;  // 27 bits, unused without the pre-adder
  Wiring b;  // 18 bits
  std::vector<int> packed_shift;
  std::vector<int> shared_shift;
  Interval wide;    // possible values of the 27-bit side
  Interval narrow;  // possible values of the 18-bit side
  bool preadder() const { return d.used(); }
  bool operator==(const Ports&) const = default;
};

std::string to_string(const Piece& piece);
std::string to_string(const Wiring& wiring);  // Verilog-like, from the top bit down

}  // namespace kumiki::gen::packing
