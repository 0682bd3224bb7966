// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/heap.h"

#include <fmt/format.h>

namespace kumiki::gen::compressor {

bool value(Bit::Form form, bool a, bool b, bool c) {
  switch (form) {
    case Bit::Form::plain:
      return a;
    case Bit::Form::inverted:
      return !a;
    case Bit::Form::xnor_:
      return a == b;
    case Bit::Form::xor_:
      return a != b;
    case Bit::Form::and_:
      return a && b;
    case Bit::Form::nand_:
      return !(a && b);
    case Bit::Form::carry:
      return a ? !b : c;
    case Bit::Form::carry_not:
      return a ? !b : !c;
    case Bit::Form::leaf:
      break;
  }
  return false;
}

bool Bit::at(unsigned index) const {
  if (form == Form::leaf) return function >> index & 1;
  return value(form, index & 1, index >> 1 & 1, index >> 2 & 1);
}

namespace {

constexpr Bit::Form inverse(Bit::Form f) {
  using enum Bit::Form;
  constexpr Bit::Form of[] = {inverted, plain, xor_, xnor_, nand_, and_};
  return of[static_cast<int>(f)];
}

// A pair with a constant or with two equal nets is a single bit or a constant.
Bit simplified(Bit bit) {
  if (!bit.is_pair()) {
    if (bit.form == Bit::Form::inverted && bit.a.is_constant())
      return plain(ir::constant(bit.a == ir::net_zero));
    return bit;
  }
  if (bit.a.is_constant()) std::swap(bit.a, bit.b);
  if (!bit.b.is_constant() && bit.a != bit.b) return bit;
  auto second = [&](bool a) { return bit.a == bit.b ? a : bit.b == ir::net_one; };
  bool zero = value(bit.form, false, second(false)), one = value(bit.form, true, second(true));
  if (bit.a.is_constant()) return plain(ir::constant(bit.a == ir::net_one ? one : zero));
  if (zero == one) return plain(ir::constant(one));
  return {one ? Bit::Form::plain : Bit::Form::inverted, bit.a};
}

}  // namespace

void Heap::add_power(unsigned column) {
  for (; column < width(); ++column) {
    constant_[column] = !constant_[column];
    if (constant_[column]) return;
  }
}

void Heap::add(unsigned column, Bit bit) {
  if (column >= width()) return;
  bit = simplified(bit);
  if (bit.is_pair()) {
    pairs_[column].push_back(bit);
  } else if (!bit.a.is_constant()) {
    columns_[column].push_back(bit);
  } else if (bit.a == ir::net_one) {
    add_power(column);
  }
}

// -x = (1 - x) - 1.
void Heap::subtract(unsigned column, Bit bit) {
  if (column >= width()) return;
  bit.form = inverse(bit.form);
  add(column, bit);
  add_constant(-1, column);
}

void Heap::add_constant(std::int64_t number, unsigned column) {
  // Two's complement: the sign bit repeats in all columns above.
  for (unsigned i = 0; column + i < width(); ++i)
    if (number >> std::min(i, 63u) & 1) add_power(column + i);
}

void Heap::add_word(const Word& word, unsigned column, bool is_signed, bool subtracted) {
  for (std::uint32_t i = 0; i < word.width(); ++i) {
    bool negative = subtracted != (is_signed && i + 1 == word.width());
    if (negative)
      subtract(column + i, plain(word[i]));
    else
      add(column + i, plain(word[i]));
  }
}

void Heap::add(const UInt& w, unsigned column) { add_word(w, column, false, false); }
void Heap::add(const SInt& w, unsigned column) { add_word(w, column, true, false); }
void Heap::subtract(const UInt& w, unsigned column) { add_word(w, column, false, true); }
void Heap::subtract(const SInt& w, unsigned column) { add_word(w, column, true, true); }

void Heap::multiply(const Word& a, const Word& b, unsigned column, bool is_signed) {
  for (std::uint32_t i = 0; i < a.width(); ++i)
    for (std::uint32_t j = 0; j < b.width(); ++j) {
      Bit product{Bit::Form::and_, a[i], b[j]};
      if (is_signed && (i + 1 == a.width()) != (j + 1 == b.width()))
        subtract(column + i + j, product);
      else
        add(column + i + j, product);
    }
}

void Heap::add_product(const UInt& a, const UInt& b, unsigned column) {
  multiply(a, b, column, false);
}
void Heap::add_product(const SInt& a, const SInt& b, unsigned column) {
  multiply(a, b, column, true);
}

std::vector<int> signed_digits(std::int64_t number) {
  std::vector<int> digits;
  for (; number != 0; number >>= 1) {
    int digit = number & 1 ? 2 - static_cast<int>(number & 3) : 0;
    digits.push_back(digit);
    number -= digit;
  }
  return digits;
}

void Heap::add_scaled(const UInt& w, std::int64_t factor, unsigned column) {
  for (int digit : signed_digits(factor)) {
    if (digit != 0) add_word(w, column, false, digit < 0);
    ++column;
  }
}
void Heap::add_scaled(const SInt& w, std::int64_t factor, unsigned column) {
  for (int digit : signed_digits(factor)) {
    if (digit != 0) add_word(w, column, true, digit < 0);
    ++column;
  }
}

std::vector<std::vector<Bit>> Heap::bits() const {
  auto all = columns_;
  for (unsigned c = 0; c < width(); ++c)
    if (constant_[c]) all[c].push_back(plain(ir::net_one));
  return all;
}

Shape Heap::shape() const {
  Shape s;
  for (unsigned c = 0; c < width(); ++c) {
    s.bits.push_back(static_cast<unsigned>(columns_[c].size()) + constant_[c]);
    s.pairs.push_back(static_cast<unsigned>(pairs_[c].size()));
  }
  return s;
}

}  // namespace kumiki::gen::compressor
