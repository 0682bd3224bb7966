// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/tree_column.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/options.h"

namespace kumiki::gen::matrix {
namespace {

using compressor::Bit;
using compressor::Heap;

constexpr unsigned every_stage = 1;

// Adds a number or its negative: all bits inverted, plus one.
void add_signed_word(Heap& heap, const UInt& number, bool number_is_signed, Net sign) {
  const std::uint32_t width = number.width();
  for (std::uint32_t i = 0; i < width; ++i) {
    const Bit bit{Bit::Form::xor_, number[i], sign};
    if (number_is_signed && i + 1 == width)
      heap.subtract(i, bit);
    else
      heap.add(i, bit);
  }
  if (!number_is_signed) heap.subtract(width, compressor::plain(sign));
  heap.add(0, sign);
}

// Weights are signed; numbers may be unsigned.
void add_product(Scope& s, Heap& heap, const TreeColumn& c, const UInt& x, const UInt& w) {
  const bool x_signed = c.pixels.format.is_signed;
  if (c.has_two_signs())
    heap.add(c.shift() == 1 ? 0 : 1, Bit{Bit::Form::xnor_, x.msb(), w.msb()});
  else if (c.weights.is_sign)
    add_signed_word(heap, x, x_signed, w.msb());
  else if (c.pixels.is_sign)
    add_signed_word(heap, w, true, x.msb());
  else
    heap.add_product(as_signed(x_signed ? x : zext(s, x, x.width() + 1)), as_signed(w));
}

Heap heap_of(Scope& s, const TreeColumn& c, const std::vector<UInt>& pixels,
             const std::vector<UInt>& weights) {
  Heap heap(static_cast<unsigned>(c.heap_bits()));
  for (std::size_t row = 0; row < pixels.size(); ++row)
    add_product(s, heap, c, pixels[row], weights[row]);
  if (c.words == 1) heap.add_constant(-c.zero());
  return heap;
}

arith::Interval of_a_clock(const TreeColumn& c) {
  arith::Interval sum;
  for (std::int64_t row = 0; row < c.rows; ++row) sum = sum + c.pixels.range() * c.weights.range();
  return sum;
}

}  // namespace

std::int64_t Factor::value(std::uint64_t raw) const {
  if (is_sign) return (raw >> (format.bits - 1) & 1) != 0 ? -1 : 1;
  return arith::value_of(raw, format);
}

std::int64_t TreeColumn::zero() const { return has_two_signs() ? rows >> shift() : 0; }

// A count of ones minus half of the rows, as a set of one clock gives, needs as many bits as the
// count.
int TreeColumn::heap_bits() const {
  if (has_two_signs()) return std::bit_width(static_cast<std::uint64_t>(2 * rows >> shift()));
  return std::min(arith::signed_bits(of_a_clock(*this)), sum_bits);
}

std::int64_t TreeColumn::added_bits() const {
  return rows * pixels.bits() * weights.bits() + (words > 1 ? sum_bits : 0);
}

int latency_of_heap(const TreeColumn& c) {
  return static_cast<int>(compressor::latency(c.tree, every_stage)) + (c.has_border ? 1 : 0);
}

int TreeColumn::latency() const { return latency_of_heap(*this) + (words > 1 ? 1 : 0); }

int TreeColumn::levels() const {
  const int of_set = words == 1 ? 0 : sum_bits - shift();
  const int of_stage = static_cast<int>(compressor::audit(tree).longest_chain);
  return std::max(3, 1 + (std::max(of_set, of_stage) + 7) / 8);
}

std::string TreeColumn::module_name() const {
  const auto name = [](const Factor& f) {
    return f.is_sign ? std::string("sign")
                     : fmt::format("{}{}", f.format.is_signed ? "s" : "u", f.format.bits);
  };
  return fmt::format("column_{}_{}_r{}_w{}", name(pixels), name(weights), rows, words);
}

TreeColumn with_tree(TreeColumn c, const ir::Context& context) {
  // The shape does not depend on the nets, so any nets will do.
  Builder scratch;
  Scope s(scratch, scratch.design().add_module("shape"));
  const auto words = [&](const char* name, const Factor& f) {
    std::vector<UInt> all;
    for (std::int64_t row = 0; row < c.rows; ++row)
      all.push_back(
          s.input<UInt>(fmt::format("{}{}", name, row), static_cast<std::uint32_t>(f.bits())));
    return all;
  };
  const auto pixels = words("x", c.pixels), weights = words("w", c.weights);
  c.tree = compressor::plan_tree(
      heap_of(s, c, pixels, weights).shape(),
      {.pipeline = every_stage, .objective = compressor::Objective::luts, .context = context});
  return c;
}

TreeColumnOut build_tree_column(Scope& s, const TreeColumn& c, const TreeColumnIn& in) {
  s.module().set_about(
      fmt::format("{} products a clock in a compressor tree, {} clocks a set", c.rows, c.words));
  UInt part =
      compressor::compress(s, heap_of(s, c, in.pixels, in.weights), c.tree, {.every = every_stage});
  if (c.has_border) {
    const std::uint64_t nothing = c.words == 1 ? 0 : static_cast<std::uint64_t>(c.zero());
    part = reg(s, part, {.init = nothing, .reset = in.border[0]});
  }
  const auto low = s.constant(0, static_cast<std::uint32_t>(c.shift()));
  if (c.words == 1) return {cat(s, {part, low})};
  // The first clock of a set starts from minus the ones that the heap adds for all clocks.
  const auto width = static_cast<std::uint32_t>(c.sum_bits - c.shift());
  const std::uint64_t begin = arith::raw_of(-c.words * c.zero(), width);
  const UInt addend = part.width() >= width ? part.slice(0, width)
                      : c.has_two_signs()   ? zext(s, part, width)
                                            : UInt(Word(sext(s, as_signed(part), width)));
  Reg<UInt> sum(s, width);
  const UInt propagate = lut_o6(
      s,
      [](bool so_far, bool more, bool at_first, bool first) {
        return (first ? at_first : so_far) != more;
      },
      SourceLocation::current(), Word(sum.q()), Word(addend), Word(s.constant(begin, width)),
      in.first[0]);
  sum.next(carry_chain(s, propagate, addend, ir::net_zero).sum);
  return {cat(s, {sum.q(), low})};
}

}  // namespace kumiki::gen::matrix
