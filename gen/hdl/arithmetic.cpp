// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/arithmetic.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/hdl/cells.h"
#include "gen/hdl/messages.h"
#include "gen/hdl/mux.h"
#include "gen/hdl/small_sum.h"
#include "ir/arch.h"

namespace kumiki::gen {

CarryOut carry_chain(Scope& s, const Word& propagate, const Word& di, Net carry_in,
                     SourceLocation here) {
  want_equal_widths("carry_chain", propagate, di, here);
  const bool four = s.family() == ir::Family::series7;
  const std::uint32_t width = propagate.width();
  const std::uint32_t block = ir::arch::of(s.family()).carry_positions;
  Net* sum = s.builder().allocate(width);
  Net carry = carry_in;
  std::array<Net, 2 + 2 * ir::arch::ultrascale_plus.carry_positions> in;
  for (std::uint32_t low = 0; low < width; low += block) {
    std::uint32_t n = std::min(block, width - low);
    in.fill(ir::net_zero);
    // CARRY4 takes a carry from fabric on CYINIT and one from the block below on CI; CARRY8 has one
    // pin.
    in[four && low == 0 ? 1 : 0] = carry;
    for (std::uint32_t i = 0; i < n; ++i) {
      in[2 + i] = di[low + i];
      in[2 + block + i] = propagate[low + i];
    }
    Net out = s.cell(four ? ir::Kind::carry4 : ir::Kind::carry8, 1,
                     std::span(in).first(2 + 2 * block), {}, s.at(here));
    for (std::uint32_t i = 0; i < n; ++i) sum[low + i] = Net{out.index + block + i};
    carry = Net{out.index + n - 1};
  }
  return {UInt(sum, width, s.at(here)), carry};
}

namespace {

// S of a carry position must come from a LUT. If folding has left only a wire, this puts a LUT1 on
// it.
Net from_lut(Scope& s, Net propagate, std::initializer_list<Net> inputs, SourceLocation here) {
  bool wire = std::find(inputs.begin(), inputs.end(), propagate) != inputs.end();
  if (!wire || propagate.is_constant()) return propagate;
  return Lut{.init = table([](bool x) { return x; }), .in = {propagate}}.add_to(s, here);
}

}  // namespace

namespace detail {

Word add(Scope& s, const Word& a, const Word& b, Net carry_in, bool subtract, SourceLocation here) {
  want_equal_widths(subtract ? "sub" : "add", a, b, here);
  if (auto sum = small_sum(s, a, b, carry_in, subtract, here)) return *sum;
  UInt p = subtract ? lut_o6(
                          s, [](bool x, bool y) { return x == y; }, here, UInt(a), UInt(b))
                    : lut_o6(
                          s, [](bool x, bool y) { return x != y; }, here, UInt(a), UInt(b));
  Net* kept = s.builder().allocate(p.width());
  for (std::uint32_t i = 0; i < p.width(); ++i) kept[i] = from_lut(s, p[i], {a[i], b[i]}, here);
  return carry_chain(s, UInt(kept, p.width(), p.place()), a, carry_in, here).sum;
}

Word increment(Scope& s, const Word& a, Net by, SourceLocation here) {
  const UInt zero = s.constant(0, a.width(), here);
  if (auto sum = small_sum(s, a, zero, by, false, here)) return *sum;
  return carry_chain(s, lut_buffer(s, a, false, here), zero, by, here).sum;
}

// a >= b, or a > b when `strictly`. A position compares two digits. S: they are equal, so the
// digits below decide. Otherwise DI says whether a is larger. The carry in is the result if all are
// equal. The sign bit counts the other way round.
Net at_least(Scope& s, const Word& a, const Word& b, bool is_signed, bool strictly,
             SourceLocation here) {
  want_equal_widths("comparison", a, b, here);
  std::uint32_t width = a.width();
  if (width == 0) return ir::constant(!strictly);
  auto equal = [](bool x0, bool y0, bool x1, bool y1) { return x0 == y0 && x1 == y1; };
  auto larger = [](bool x0, bool y0, bool x1, bool y1) { return x1 != y1 ? x1 : x0 && !y0; };
  auto larger_signed = [](bool x0, bool y0, bool x1, bool y1) { return x1 != y1 ? y1 : x0 && !y0; };
  std::vector<Net> p, g;
  for (std::uint32_t i = 0; i < width; i += 2) {
    bool top = i + 2 >= width;
    // In an odd width, the top bit alone is the upper digit, to which the rule for signs applies.
    bool lone = i + 1 == width;
    Net x0 = lone ? ir::net_zero : a[i], y0 = lone ? ir::net_zero : b[i];
    Net x1 = lone ? a[i] : a[i + 1], y1 = lone ? b[i] : b[i + 1];
    std::array<Net, 4> in{x0, y0, x1, y1};
    bool has_constant = std::any_of(in.begin(), in.end(), [](Net n) { return n.is_constant(); });
    bool flip = is_signed && top;
    if (has_constant) {
      p.push_back(from_lut(s, lut_net(s, table(equal), in, s.at(here)), {x0, y0, x1, y1}, here));
      g.push_back(lut_net(s, flip ? table(larger_signed) : table(larger), in, s.at(here)));
    } else {
      static const Table both = table([=](bool q, bool r, bool t, bool u) {
        return pair(equal(q, r, t, u), larger(q, r, t, u));
      });
      static const Table both_signed = table([=](bool q, bool r, bool t, bool u) {
        return pair(equal(q, r, t, u), larger_signed(q, r, t, u));
      });
      auto out =
          Lut6_2{.init = flip ? both_signed : both, .in = {in.begin(), in.end()}}.add_to(s, here);
      p.push_back(out.o6);
      g.push_back(out.o5);
    }
  }
  return carry_chain(s, bits(s, p, here), bits(s, g, here), ir::constant(!strictly), here).carry;
}

}  // namespace detail

UInt add_wide(Scope& s, const UInt& a, const UInt& b, Net carry_in, SourceLocation here) {
  want_equal_widths("add_wide", a, b, here);
  auto w = a.width() + 1;
  return add(s, zext(s, a, w, here), zext(s, b, w, here), carry_in, here);
}

SInt add_wide(Scope& s, const SInt& a, const SInt& b, Net carry_in, SourceLocation here) {
  want_equal_widths("add_wide", a, b, here);
  auto w = a.width() + 1;
  return add(s, sext(s, a, w, here), sext(s, b, w, here), carry_in, here);
}

SInt sub_wide(Scope& s, const UInt& a, const UInt& b, SourceLocation here) {
  want_equal_widths("sub_wide", a, b, here);
  auto w = a.width() + 1;
  return SInt(Word(sub(s, zext(s, a, w, here), zext(s, b, w, here), here)));
}

SInt sub_wide(Scope& s, const SInt& a, const SInt& b, SourceLocation here) {
  want_equal_widths("sub_wide", a, b, here);
  auto w = a.width() + 1;
  return sub(s, sext(s, a, w, here), sext(s, b, w, here), here);
}

SInt negate(Scope& s, const SInt& a, SourceLocation here) {
  const UInt zero = s.constant(0, a.width(), here);
  if (auto sum = detail::small_sum(s, zero, a, ir::net_one, true, here)) return SInt(Word(*sum));
  return SInt(Word(carry_chain(s, lut_buffer(s, a, true, here), zero, ir::net_one, here).sum));
}

SInt negate_wide(Scope& s, const SInt& a, SourceLocation here) {
  return negate(s, sext(s, a, a.width() + 1, here), here);
}

UInt step_by_one(Scope& s, const UInt& count, Net more, Net less, SourceLocation here) {
  return add(s, count, repeat(s, s.net(less & ~more, here), count.width()),
             s.net(more & ~less, here), here);
}

namespace {

// How many of `digits` are compared in LUTs of `of_a_lut` digits each. One more LUT takes their
// answers. It also takes the remaining digits, of `inputs` nets each, if it has room.
std::uint32_t compared_below(std::uint32_t digits, std::uint32_t of_a_lut, std::uint32_t inputs) {
  const std::uint32_t luts = digits / of_a_lut, left = digits % of_a_lut;
  return luts + inputs * left <= 6 ? luts * of_a_lut : digits;
}

}  // namespace

Net equals(Scope& s, const Word& a, const Word& b, SourceLocation here) {
  want_equal_widths("equals", a, b, here);
  std::vector<Net> groups;
  const std::uint32_t below = compared_below(a.width(), 3, 2);
  for (std::uint32_t i = 0; i < below; i += 3) {
    auto at = [&](const Word& w, std::uint32_t k) {
      return i + k < w.width() ? w[i + k] : ir::net_zero;
    };
    groups.push_back(lut(
        s,
        [](bool x, bool y, bool z, bool p, bool q, bool r) { return x == p && y == q && z == r; },
        at(a, 0), at(a, 1), at(a, 2), at(b, 0), at(b, 1), at(b, 2), here));
  }
  if (below == a.width()) return all_of(s, groups, here);
  const auto answers = static_cast<unsigned>(groups.size()), left = a.width() - below;
  for (const Word* w : {&a, &b})
    for (std::uint32_t i = below; i < a.width(); ++i) groups.push_back((*w)[i]);
  Table t{.inputs = answers + 2 * left};
  const unsigned digits = (1u << left) - 1;
  for (unsigned index = 0; index < 1u << t.inputs; ++index) {
    const bool all = (index & ((1u << answers) - 1)) == (1u << answers) - 1;
    const unsigned rest = index >> answers;
    t.bits |= std::uint64_t{all && (rest & digits) == rest >> left} << index;
  }
  return detail::lut_net(s, t, groups, s.at(here));
}

Net equals(Scope& s, const UInt& a, std::uint64_t b, SourceLocation here) {
  if (a.width() < 64 && b >> a.width() != 0) return ir::net_zero;
  // Six bits a LUT, the constant inside its table.
  const auto number = [&](std::uint32_t from, std::uint32_t n) {
    return from < 64 ? b >> from & ((std::uint64_t{1} << n) - 1) : 0;
  };
  std::vector<Net> groups;
  const std::uint32_t below = compared_below(a.width(), 6, 1);
  for (std::uint32_t i = 0; i < below; i += 6) {
    const auto n = std::min(6u, a.width() - i);
    const Table t{std::uint64_t{1} << number(i, n), n, false};
    groups.push_back(detail::lut_net(s, t, a.nets().subspan(i, n), s.at(here)));
  }
  if (below == a.width()) return all_of(s, groups, here);
  const auto answers = static_cast<unsigned>(groups.size()), left = a.width() - below;
  for (std::uint32_t i = below; i < a.width(); ++i) groups.push_back(a[i]);
  const std::uint64_t index = number(below, left) << answers | ((1u << answers) - 1);
  return detail::lut_net(s, {std::uint64_t{1} << index, answers + left, false}, groups, s.at(here));
}

namespace {

// Two digits of the amount a level: a four-way multiplexer is one LUT6 a bit.
Word barrel(Scope& s, const Word& a, const UInt& by, bool left, Net fill, SourceLocation here) {
  Word now = a;
  for (std::uint32_t digit = 0; digit < by.width(); digit += 2) {
    unsigned ways = digit + 1 < by.width() ? 4 : 2;
    std::vector<UInt> shifted;
    for (unsigned k = 0; k < ways; ++k) {
      std::uint64_t distance = digit >= 32 ? (k ? now.width() : 0) : std::uint64_t{k} << digit;
      std::vector<Net> nets(now.width());
      for (std::uint64_t i = 0; i < now.width(); ++i) {
        if (left)
          nets[i] = i >= distance ? now[static_cast<std::uint32_t>(i - distance)] : fill;
        else
          nets[i] =
              i + distance < now.width() ? now[static_cast<std::uint32_t>(i + distance)] : fill;
      }
      shifted.push_back(bits(s, nets, here));
    }
    now = select(s, by.slice(digit, ways == 4 ? 2 : 1, here), std::span<const UInt>(shifted), here);
  }
  return now;
}

}  // namespace

UInt shift_left(Scope& s, const UInt& a, const UInt& by, SourceLocation here) {
  return UInt(barrel(s, a, by, true, ir::net_zero, here));
}
UInt shift_right(Scope& s, const UInt& a, const UInt& by, SourceLocation here) {
  return UInt(barrel(s, a, by, false, ir::net_zero, here));
}
SInt shift_right(Scope& s, const SInt& a, const UInt& by, SourceLocation here) {
  return SInt(barrel(s, a, by, false, a.msb(), here));
}

SInt saturate(Scope& s, const SInt& a, std::uint32_t width, SourceLocation here) {
  if (width == 0)
    refuse(here, code::no_bits, "saturate to 0 bits is not possible; give at least 1");
  if (width >= a.width()) return sext(s, a, width, here);
  // The value fits if all bits from the new sign up are equal.
  UInt top = a.slice(width - 1, a.width() - width + 1, here);
  const Net fits = s.net(~(all_of(s, top, here) ^ any_of(s, top, here)), here);
  const UInt low = s.word(mux(fits, a.slice(0, width - 1, here), ~a.msb()), here);
  return SInt(Word(cat(s, {bits(s, {a.msb()}, here), low}, here)));
}

UInt saturate(Scope& s, const UInt& a, std::uint32_t width, SourceLocation here) {
  if (width >= a.width()) return zext(s, a, width, here);
  Net over = any_of(s, a.slice(width, a.width() - width, here), here);
  return s.word(a.slice(0, width, here) | over, here);
}

UInt saturate_unsigned(Scope& s, const SInt& a, std::uint32_t width, SourceLocation here) {
  if (a.width() == 0) refuse(here, code::no_bits, "saturate of a word of no bits");
  Net negative = a.msb();
  std::uint32_t body = a.width() - 1;
  Net over = width < body ? any_of(s, a.slice(width, body - width, here), here) : ir::net_zero;
  UInt kept = zext(s, a.slice(0, std::min(width, body), here), width, here);
  return s.word((kept | over) & ~negative, here);
}

SInt round(Scope& s, const SInt& a, std::uint32_t drop, Rounding mode, SourceLocation here) {
  if (drop >= a.width())
    refuse(here, code::round_drops_all,
           fmt::format("round of {} bits cannot drop {}; it must drop at most {}", a.width(), drop,
                       a.width() - 1));
  SInt kept = SInt(Word(a.slice(drop, a.width() - drop, here)));
  SInt wide = sext(s, kept, kept.width() + 1, here);
  if (drop == 0 || mode == Rounding::down) return wide;
  Net half = a[drop - 1], below = any_of(s, a.slice(0, drop - 1, here), here);
  Net up = half;
  if (mode == Rounding::half_even) up = s.net(half & (below | kept[0]), here);
  // A negative tie is rounded away from zero if it is not rounded up.
  if (mode == Rounding::half_away) up = s.net(half & (below | ~a.msb()), here);
  if (mode == Rounding::up) up = s.net(half | below, here);
  if (mode == Rounding::to_zero) up = s.net((half | below) & a.msb(), here);
  return increment(s, wide, up, here);
}

UInt popcount(Scope& s, const UInt& a, SourceLocation here) {
  if (a.width() == 0) return s.constant(0, 1, here);
  std::vector<UInt> counts;
  for (std::uint32_t i = 0; i < a.width(); i += 6) {
    auto n = std::min(6u, a.width() - i);
    std::vector<Net> digits;
    for (unsigned digit = 0; digit < static_cast<unsigned>(std::bit_width(n)); ++digit) {
      Table t{.inputs = n};
      for (unsigned index = 0; index < 1u << n; ++index)
        t.bits |= std::uint64_t(std::popcount(index) >> digit & 1) << index;
      digits.push_back(detail::lut_net(s, t, a.nets().subspan(i, n), s.at(here)));
    }
    counts.push_back(bits(s, digits, here));
  }
  while (counts.size() > 1) {
    std::vector<UInt> next;
    for (std::size_t i = 0; i + 1 < counts.size(); i += 2) {
      auto w = std::max(counts[i].width(), counts[i + 1].width());
      next.push_back(add_wide(s, zext(s, counts[i], w, here), zext(s, counts[i + 1], w, here),
                              ir::net_zero, here));
    }
    if (counts.size() % 2) next.push_back(counts.back());
    counts = std::move(next);
  }
  // Adders of partial counts may carry a bit more than the largest count needs.
  return counts[0].slice(0, static_cast<std::uint32_t>(std::bit_width(a.width())), here);
}

}  // namespace kumiki::gen
