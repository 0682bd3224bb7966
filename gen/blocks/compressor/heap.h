// SPDX-License-Identifier: Apache-2.0
// A heap of bits over nets: the summands of a tree, column by column, modulo 2^width. Any generator
// can add bits to it. Constants are folded into one number. Signs become inverted bits and
// constants. Products stay raw pairs until an element takes them in.
#pragma once
#include <array>
#include <compare>
#include <vector>

#include "gen/blocks/compressor/plan.h"
#include "gen/hdl/scope.h"

namespace kumiki::gen::compressor {

// One bit: a net, its inverse, or a function of two nets that is free inside a LUT.
struct Bit {
  // carry: an open carry of a position with S = a, O = b and DI = c, or DI = !c (carry_not). leaf:
  // a function that an element leaves to its reader.
  enum class Form : std::uint8_t {
    plain,
    inverted,
    xnor_,
    xor_,
    and_,
    nand_,
    carry,
    carry_not,
    leaf
  };
  Form form = Form::plain;
  Net a, b = ir::net_zero, c = ir::net_zero, d = ir::net_zero, e = ir::net_zero;
  std::uint32_t function = 0;  // of a leaf: its truth table
  std::uint8_t inputs = 0;
  bool is_pair() const { return form > Form::inverted && form < Form::carry; }
  bool is_open() const { return form >= Form::carry; }
  unsigned nets() const { return form == Form::leaf ? inputs : is_open() ? 3 : is_pair() ? 2 : 1; }
  std::array<Net*, 5> places() { return {&a, &b, &c, &d, &e}; }
  std::array<Net, 5> all_nets() const { return {a, b, c, d, e}; }
  bool at(unsigned index) const;  // with net i = bit i of the index
  bool is_plain() const { return form == Form::plain; }
  auto operator<=>(const Bit&) const = default;
};
bool value(Bit::Form form, bool a, bool b, bool c = false);
inline Bit plain(Net n) { return {Bit::Form::plain, n}; }

class Heap {
 public:
  explicit Heap(unsigned width) : columns_(width), pairs_(width), constant_(width) {}
  unsigned width() const { return static_cast<unsigned>(columns_.size()); }

  // Bits above the top column are dropped. A pair with a constant becomes a bit or a constant.
  void add(unsigned column, Bit bit);
  void add(unsigned column, Net net) { add(column, plain(net)); }
  void subtract(unsigned column, Bit bit);

  // Words with their lowest bit in the given column.
  void add(const UInt& word, unsigned column = 0);
  void add(const SInt& word, unsigned column = 0);
  void subtract(const UInt& word, unsigned column = 0);
  void subtract(const SInt& word, unsigned column = 0);
  void add_product(const UInt& a, const UInt& b, unsigned column = 0);
  void add_product(const SInt& a, const SInt& b, unsigned column = 0);
  // By canonical signed digits: adds one word for each non-zero digit.
  void add_scaled(const UInt& word, std::int64_t factor, unsigned column = 0);
  void add_scaled(const SInt& word, std::int64_t factor, unsigned column = 0);
  void add_constant(std::int64_t value, unsigned column = 0);

  // The ones of the constant count as bits of their columns.
  Shape shape() const;
  std::vector<std::vector<Bit>> bits() const;
  const std::vector<std::vector<Bit>>& pairs() const { return pairs_; }

 private:
  void add_word(const Word& word, unsigned column, bool is_signed, bool subtracted);
  void multiply(const Word& a, const Word& b, unsigned column, bool is_signed);
  void add_power(unsigned column);  // 2^column

  std::vector<std::vector<Bit>> columns_, pairs_;
  std::vector<bool> constant_;
};

// Digits -1, 0, 1 from low to high, no two neighbours non-zero.
std::vector<int> signed_digits(std::int64_t value);

}  // namespace kumiki::gen::compressor
