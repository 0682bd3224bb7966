// SPDX-License-Identifier: Apache-2.0
// The logic behind the last stage: an adder of two or three rows, or a comparison that needs no
// sum.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/cell.h"
#include "gen/blocks/compressor/messages.h"

namespace kumiki::gen::compressor::detail {
namespace {

using Rows = std::vector<std::vector<Bit>>;

unsigned first_with_more(const Rows& rows, unsigned end) {
  for (unsigned c = 0; c < end; ++c)
    if (rows[c].size() > 1) return c;
  return end;
}

// Takes a bit out of the first column as the carry of the adder, preferably one that needs no LUT.
Net take_carry(Scope& s, std::vector<Bit>& column, unsigned rows, SourceLocation here) {
  if (column.size() <= rows) return ir::net_zero;
  auto at = std::find_if(column.begin(), column.end(), [](const Bit& b) { return b.is_plain(); });
  if (at == column.end()) at = column.begin();
  Bit bit = *at;
  column.erase(at);
  return as_net(s, bit, here);
}

void want_rows(const Rows& rows, unsigned first, unsigned end, unsigned legal,
               SourceLocation here) {
  for (unsigned c = first; c < end; ++c)
    if (rows[c].size() > legal)
      refuse(here, code::bits_left_over,
             fmt::format("column {} has {} bits for a final adder of {} rows", c, rows[c].size(),
                         legal));
}

Bit at(const std::vector<Bit>& column, std::size_t row) {
  return row < column.size() ? column[row] : plain(ir::net_zero);
}

// Three rows on one chain. The majority of a column has weight two, so it enters the column above,
// through a LUT input and DI.
void push_three(Scope& s, ChainRun& run, const std::vector<Bit>& column, Net& majority,
                SourceLocation here) {
  Bit in[] = {at(column, 0), at(column, 1), at(column, 2), plain(majority)};
  auto out = counter_lut(
      s, table([](bool a, bool b, bool c, bool m) { return pair(a ^ b ^ c ^ m, a + b + c > 1); }),
      in, here);
  // S of a position must come from a LUT.
  Net propagate = out.o6;
  for (const Bit& b : in)
    if (b.a == propagate && !propagate.is_constant())
      propagate = Lut{.init = table([](bool x) { return x; }), .in = {propagate}}.add_to(s, here);
  run.push({propagate, majority});
  majority = out.o5;
}

// A bit of the sum as one LUT of the bits in its column and below.
Net sum_bit(Scope& s, const Rows& rows, unsigned first, unsigned column, SourceLocation here) {
  std::vector<Bit> in;
  std::vector<unsigned> weight;
  for (unsigned c = first; c <= column; ++c)
    for (const Bit& b : rows[c]) {
      in.push_back(b);
      weight.push_back(1u << (c - first));
    }
  Table t{.inputs = static_cast<unsigned>(in.size())};
  for (unsigned index = 0; index < 1u << in.size(); ++index) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) sum += index >> i & 1 ? weight[i] : 0;
    t.bits |= std::uint64_t{sum >> (column - first) & 1} << index;
  }
  return counter_lut(s, t, in, here).o6;
}

}  // namespace

RowSum add_rows(Scope& s, const Level& level, const TreePlan& plan, unsigned end,
                SourceLocation here) {
  Rows rows = level.bits;
  // Open carries come first, because DI takes the second bit of a column as a net.
  for (std::size_t c = 0; c < rows.size(); ++c)
    rows[c].insert(rows[c].begin(), level.opens[c].begin(), level.opens[c].end());
  const unsigned first = first_with_more(rows, end);
  RowSum sum;
  for (unsigned c = 0; c < first; ++c)
    sum.bits.push_back(rows[c].empty() ? ir::net_zero : as_net(s, rows[c][0], here));
  if (ends_in_luts(plan, audit(plan).levels.back())) {
    for (unsigned c = first; c < end; ++c) sum.bits.push_back(sum_bit(s, rows, first, c, here));
  } else if (first < end) {
    const bool three = plan.finish == Finish::ternary;
    ChainRun run;
    run.begin(take_carry(s, rows[first], three ? 3 : 2, here));
    want_rows(rows, first, end, three ? 3 : 2, here);
    Net majority = ir::net_zero;
    for (unsigned c = first; c < end; ++c) {
      if (three) {
        push_three(s, run, rows[c], majority, here);
        continue;
      }
      // DI is y, the second bit; with one bit only, DI is constant.
      Bit in[] = {at(rows[c], 0), at(rows[c], 1)};
      run.push(carry_position(s, table([](bool x, bool y) { return pair(x ^ y, y); }), in, here));
    }
    const auto added = run.add_to(s, here);
    sum.bits.insert(sum.bits.end(), added.sum.begin(), added.sum.end());
    sum.carry = added.carry;
  }
  return sum;
}

namespace {

unsigned nets_of(const std::vector<Bit>& column) {
  unsigned n = 0;
  for (const Bit& b : column) n += b.a.is_constant() ? 0 : b.is_pair() ? 2 : 1;
  return n;
}

// The bits of some columns as one number.
struct Number {
  std::vector<Bit> in;
  std::vector<unsigned> weight;
  unsigned constant = 0;
};
Number number(const Rows& rows, unsigned first, unsigned last) {
  Number n;
  for (unsigned c = first; c < last; ++c)
    for (const Bit& b : rows[c])
      if (b.is_plain() && b.a.is_constant()) {
        n.constant += b.a == ir::net_one ? 1u << (c - first) : 0;
      } else {
        n.in.push_back(b);
        n.weight.push_back(1u << (c - first));
      }
  return n;
}

// Several columns in one position. S: their sum is 2^columns - 1, so the carry passes on. DI: their
// sum is larger, so there is a carry.
Position digits(Scope& s, const Rows& rows, unsigned first, unsigned last, unsigned columns,
                SourceLocation here) {
  auto [in, weight, constant] = number(rows, first, last);
  Table t{.inputs = 5, .both = true};
  for (unsigned index = 0; index < 32; ++index) {
    unsigned sum = constant;
    for (std::size_t i = 0; i < weight.size(); ++i) sum += index >> i & 1 ? weight[i] : 0;
    t.bits |= std::uint64_t{sum == (1u << columns) - 1} << (32 + index);
    t.bits |= std::uint64_t{sum >= 1u << columns} << index;
  }
  in.resize(5, plain(ir::net_zero));
  return carry_position(s, t, in, here);
}

// The whole comparison in one LUT, if it has few enough nets: whether the bits from column `first`
// on reach the top column.
std::optional<Net> in_one_lut(Scope& s, const Rows& rows, unsigned first, SourceLocation here) {
  const auto top = static_cast<unsigned>(rows.size()) - 1;
  unsigned nets = 0;
  for (unsigned c = first; c <= top; ++c) nets += nets_of(rows[c]);
  if (nets > 6) return std::nullopt;
  auto [in, weight, constant] = number(rows, first, top + 1);
  Table t{.inputs = static_cast<unsigned>(in.size())};
  for (unsigned index = 0; index < 1u << in.size(); ++index) {
    unsigned sum = constant;
    for (std::size_t i = 0; i < in.size(); ++i) sum += index >> i & 1 ? weight[i] : 0;
    t.bits |= std::uint64_t{sum >= 1u << (top - first)} << index;
  }
  return counter_lut(s, t, in, here).o6;
}

}  // namespace

Net compare(Scope& s, const Level& level, const TreePlan& plan, SourceLocation here) {
  Rows rows = level.bits;
  const unsigned top = plan.shape.width() - 1;
  unsigned first = first_with_more(rows, top);
  // Single bits below cannot carry. Without a carry, the top column is the result.
  if (first == top) {
    if (rows[top].size() > 1)
      return counter_lut(s, table([](bool a, bool b) { return a | b; }), rows[top], here).o6;
    return rows[top].empty() ? ir::net_zero : as_net(s, rows[top][0], here);
  }
  if (is_timed(plan.objective))
    if (auto y = in_one_lut(s, rows, first, here)) return *y;
  ChainRun run;
  // One of two bits enters as the carry if that needs no LUT.
  const bool any_plain = std::any_of(rows[first].begin(), rows[first].end(),
                                     [](const Bit& b) { return b.is_plain(); });
  run.begin(take_carry(s, rows[first], any_plain ? 1 : 2, here));
  want_rows(rows, first, top + 1, 2, here);
  while (first <= top) {
    // Take columns while they have at most five nets together. The top column is not a digit of the
    // group's number: a bit there is a carry.
    unsigned last = first + 1, nets = nets_of(rows[first]);
    while (last <= top && nets + nets_of(rows[last]) <= 5) nets += nets_of(rows[last++]);
    if (first == top && rows[top].empty()) break;
    run.push(digits(s, rows, first, last, std::min(last, top) - first, here));
    first = last;
  }
  return run.add_to(s, here).carry;
}

}  // namespace kumiki::gen::compressor::detail
