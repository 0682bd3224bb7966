// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/sum.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/rows.h"

namespace kumiki::gen::packing {
namespace {

Addend registered(Scope& s, Addend a, Net enable) {
  a.bits = reg(s, UInt(a.bits), {.enable = enable});
  return a;
}

Addend waiting(Scope& s, Addend a, int cycles, Net enable) {
  a.bits = delay(s, UInt(a.bits), static_cast<std::uint32_t>(cycles), enable);
  return a;
}

// Bits for a value of this range: unsigned where it is never negative.
int bits_of(const Interval& range) {
  return range.lo < 0 ? signed_bits(range) : std::max(1, bits_for_count(range.hi + 1));
}

// An addend's word without its sign, from bit `from` on.
UInt aligned(Scope& s, const Addend& a, int from, std::uint32_t width) {
  std::vector<Net> nets(width, ir::net_zero);
  for (std::uint32_t i = 0; i < width; ++i) {
    const int at = static_cast<int>(i) + from - a.shift;
    if (at < 0) continue;
    if (at < static_cast<int>(a.bits.width()))
      nets[i] = a.bits[static_cast<std::uint32_t>(at)];
    else if (a.is_signed)
      nets[i] = a.bits.msb();
  }
  return bits(s, nets);
}

bool is_zero(const Word& w) {
  return std::all_of(w.nets().begin(), w.nets().end(), [](Net n) { return n == ir::net_zero; });
}

// Adds the upper parts of two words. Where one of them is 0 the other passes without an adder.
UInt upper_part(Scope& s, const UInt& x, const UInt& y, Net carry, bool subtract) {
  if (carry == ir::net_zero) {
    if (is_zero(y)) return x;
    if (is_zero(x) && !subtract) return y;
  }
  return subtract ? gen::sub(s, x, y) : gen::add(s, x, y, carry);
}

struct Reduction {
  std::vector<Addend> words, riders;  // riders: single bits of positive weight
};

// Splits the addends into words and riders (single bits on carry inputs). As many bits may ride as
// there are additions, and a bit rides only where an addition begins at its weight. With words of
// other weights it is safer to have more bits as words, as many as the levels can take.
Reduction sorted(std::vector<Addend> addends, int levels) {
  Reduction r;
  for (Addend& a : addends) (a.may_ride ? r.riders : r.words).push_back(a);
  const auto ridden = [&](const Addend& w) { return w.shift == r.riders.front().shift; };
  const bool alike = r.riders.empty() || std::all_of(r.words.begin(), r.words.end(), ridden);
  const auto is_safe = [&] {
    if (r.riders.size() <= 1 && r.words.size() <= 1) return true;
    if (alike && r.riders.size() < r.words.size()) return true;
    return r.words.size() >= std::size_t{1} << std::min(levels, 30);
  };
  while (!r.riders.empty() && !is_safe()) {
    r.words.push_back(r.riders.back());
    r.riders.pop_back();
  }
  // Narrow words first: a word that waits a level takes flip-flops.
  std::stable_sort(r.words.begin(), r.words.end(), [](const Addend& a, const Addend& b) {
    return a.bits.width() > b.bits.width();
  });
  return r;
}

}  // namespace

Addend Addend::of(const UInt& bits) {
  return {.bits = bits, .range = unsigned_range(static_cast<int>(bits.width()))};
}

Addend Addend::of(const SInt& bits) {
  return {.bits = bits, .is_signed = true, .range = signed_range(static_cast<int>(bits.width()))};
}

Addend Addend::times(std::int64_t coefficient) const {
  Addend a = *this;
  const auto magnitude = static_cast<std::uint64_t>(coefficient < 0 ? -coefficient : coefficient);
  if (!std::has_single_bit(magnitude))
    throw std::logic_error("an addend's coefficient is not a power of two");
  a.shift += std::countr_zero(magnitude);
  a.negative ^= coefficient < 0;
  return a;
}

Interval Addend::value() const {
  const Interval magnitude = shifted(range, shift);
  return negative ? -magnitude : magnitude;
}

UInt to_width(Scope& s, const Addend& a, std::uint32_t width) {
  const UInt word = aligned(s, a, 0, width);
  return a.negative ? UInt(negate(s, SInt(word))) : word;
}

int first_position(const Addend& a, const Addend& b) {
  // Below the higher shift there is only one addend: its bits pass, unless they are subtracted.
  const bool pass = a.negative == b.negative || !(a.shift < b.shift ? a : b).negative;
  return pass ? std::max(a.shift, b.shift) : std::min(a.shift, b.shift);
}

Addend add(Scope& s, const Addend& first, const Addend& second, Net carry, std::uint32_t width) {
  const bool swap = first.negative && !second.negative;
  const Addend& a = swap ? second : first;
  const Addend& b = swap ? first : second;
  const bool subtract = a.negative != b.negative;
  const int low = std::min(a.shift, b.shift);
  const int start = first_position(a, b);

  Addend sum{.shift = low, .negative = a.negative && b.negative};
  const Interval carried = carry == ir::net_zero ? Interval{} : Interval{0, power_of_two(start)};
  Interval value = a.value() + b.value() + carried;
  if (sum.negative) value = -value;
  const Interval magnitude{floor_div(value.lo, power_of_two(low)),
                           floor_div(value.hi, power_of_two(low))};
  const int room = static_cast<int>(width) - low;
  const int count = std::min(room, bits_of(magnitude));
  sum.is_signed = magnitude.lo < 0;
  // After a cut to the modulus only the number of bits is known.
  sum.range = bits_of(magnitude) <= room ? magnitude : Format{count, sum.is_signed}.range();
  if (subtract && carry != ir::net_zero)
    throw std::logic_error("a bit cannot ride on a subtraction");

  const auto passed = static_cast<std::uint32_t>(std::min(count, start - low));
  const auto added = static_cast<std::uint32_t>(count) - passed;
  UInt word = aligned(s, a.shift <= b.shift ? a : b, low, passed + added).slice(0, passed);
  if (added > 0) {
    const UInt x = aligned(s, a, start, added);
    const UInt y = aligned(s, b, start, added);
    const UInt upper = upper_part(s, x, y, carry, subtract);
    word = passed > 0 ? cat(s, {upper, word}) : upper;
  }
  sum.bits = word;
  return sum;
}

namespace {

Addend sum_by_adders(Scope& s, std::vector<Addend> addends, int levels, std::uint32_t width,
                     Net enable) {
  auto [words, riders] = sorted(std::move(addends), levels);
  if (words.empty()) std::swap(words, riders);
  for (int level = 0; level < levels; ++level) {
    s.remark(fmt::format("adders, level {} of {}", level + 1, levels));
    std::vector<Addend> next;
    const bool increment = words.size() == 1 && !riders.empty();
    for (std::size_t i = 0; i < words.size(); i += 2) {
      if (i + 1 == words.size() && !increment) {
        next.push_back(words[i]);
        continue;
      }
      const Addend nothing{.bits = s.constant(0, 1), .range = {}};
      const Addend& other = increment ? nothing : words[i + 1];
      const int position = increment ? words[i].shift : first_position(words[i], other);
      const bool plain = words[i].negative == other.negative && !words[i].negative;
      const auto rider = std::find_if(riders.begin(), riders.end(), [&](const Addend& r) {
        return plain && r.shift == position;
      });
      Net carry = ir::net_zero;
      if (rider != riders.end()) {
        carry = rider->bits[0];
        riders.erase(rider);
      }
      next.push_back(
          increment ? add(s, words[i], nothing.times(std::int64_t{1} << position), carry, width)
                    : add(s, words[i], other, carry, width));
    }
    words = std::move(next);
    for (Addend& a : words) a = registered(s, a, enable);
    for (Addend& a : riders) a = registered(s, a, enable);
  }
  if (words.size() != 1 || !riders.empty()) throw std::logic_error("a sum does not fit its levels");
  return words.front();
}

// A heap of all addends. One empty column on top takes the carries of a tree's last atoms.
struct Heaped {
  compressor::Heap heap;
  int low;
  Interval range;
};

Heaped heaped(const std::vector<Addend>& addends, std::uint32_t width) {
  int low = addends.front().shift;
  Interval value;
  for (const Addend& a : addends) {
    low = std::min(low, a.shift);
    value = value + a.value();
  }
  const Interval range{floor_div(value.lo, power_of_two(low)),
                       floor_div(value.hi, power_of_two(low))};
  const int bits = std::min(static_cast<int>(width) - low, bits_of(range));
  Heaped h{compressor::Heap(static_cast<unsigned>(bits) + 1), low, range};
  for (const Addend& a : addends) {
    const auto column = static_cast<unsigned>(a.shift - low);
    if (a.is_signed)
      a.negative ? h.heap.subtract(SInt(a.bits), column) : h.heap.add(SInt(a.bits), column);
    else
      a.negative ? h.heap.subtract(UInt(a.bits), column) : h.heap.add(UInt(a.bits), column);
  }
  return h;
}

std::optional<compressor::TreePlan> least_tree(const compressor::Shape& shape, int levels) {
  std::optional<compressor::TreePlan> least;
  for (int stages = 0; stages < levels; ++stages) {
    auto plan = compressor::row_tree(shape, static_cast<unsigned>(stages));
    if (plan && (!least || audit(*plan).luts() < audit(*least).luts())) least = std::move(plan);
  }
  return least;
}

Addend sum_on_tree(Scope& s, const Heaped& h, const compressor::TreePlan& plan, int levels,
                   Net enable) {
  const UInt all = compressor::compress(s, h.heap, plan, {.every = 1, .enable = enable});
  Addend sum{.bits = all.slice(0, all.width() - 1),
             .is_signed = h.range.lo < 0,
             .range = h.range,
             .shift = h.low};
  const int bits = static_cast<int>(sum.bits.width());
  // After a cut to the modulus only the number of bits is known.
  if (bits_of(h.range) > bits) sum.range = Format{bits, sum.is_signed}.range();
  for (auto level = compressor::latency(plan, 1); level < static_cast<unsigned>(levels); ++level)
    sum = registered(s, sum, enable);
  return sum;
}

// Those that lie above the sum's width do not change it.
std::vector<Addend> counting(std::vector<Addend> addends, std::uint32_t width) {
  const auto lies_above = [&](const Addend& a) { return a.shift >= static_cast<int>(width); };
  if (!std::ranges::all_of(addends, lies_above)) std::erase_if(addends, lies_above);
  return addends;
}

// The counts of both forms, and the tree, which can also be built from the addends themselves.
struct Forms {
  SumSites sites;
  std::optional<compressor::TreePlan> plan;
};

Forms forms(const std::vector<Addend>& addends, int levels, std::uint32_t width) {
  // Addends of the same widths and constants, over inputs of a scratch module.
  Builder scratch;
  Scope s(scratch, scratch.design().add_module("sum"));
  std::vector<Addend> like = addends;
  for (std::size_t i = 0; i < like.size(); ++i) {
    const UInt in = s.input<UInt>(fmt::format("a{}", i), like[i].bits.width());
    std::vector<Net> nets;
    for (std::uint32_t b = 0; b < in.width(); ++b)
      nets.push_back(like[i].bits[b].is_constant() ? like[i].bits[b] : in[b]);
    like[i].bits = gen::bits(s, nets);
  }
  const auto sites = [&] { return compressor::lut_sites(s.module()); };
  Forms found;
  (void)sum_by_adders(s, like, levels, width, ir::net_one);
  found.sites.adders = sites();
  const Heaped h = heaped(like, width);
  found.plan = least_tree(h.heap.shape(), levels);
  if (found.plan) {
    (void)sum_on_tree(s, h, *found.plan, levels, ir::net_one);
    found.sites.tree = sites() - found.sites.adders;
  }
  return found;
}

}  // namespace

SumSites sum_sites(const std::vector<Addend>& addends, int levels, std::uint32_t width) {
  return forms(counting(addends, width), levels, width).sites;
}

Addend sum(Scope& s, std::vector<Addend> addends, int levels, std::uint32_t width, Net enable) {
  addends = counting(std::move(addends), width);
  if (addends.size() > 2) {
    const Forms found = forms(addends, levels, width);
    s.builder().count_saved(std::int64_t{found.sites.adders} - std::int64_t{found.sites.best()});
    if (found.sites.on_tree())
      return sum_on_tree(s, heaped(addends, width), *found.plan, levels, enable);
  }
  return sum_by_adders(s, std::move(addends), levels, width, enable);
}

Timed sum_as_they_come(Scope& s, std::vector<Timed> addends, Net enable) {
  const auto earlier = [](const Timed& a, const Timed& b) { return a.time < b.time; };
  std::stable_sort(addends.begin(), addends.end(), earlier);
  while (addends.size() > 1) {
    Timed a = addends[0], b = addends[1];
    addends.erase(addends.begin(), addends.begin() + 2);
    a.addend = waiting(s, a.addend, b.time - a.time, enable);
    Timed both{registered(s, add(s, a.addend, b.addend, ir::net_zero, 63), enable), b.time + 1};
    addends.insert(std::upper_bound(addends.begin(), addends.end(), both, earlier), both);
  }
  return addends.front();
}

}  // namespace kumiki::gen::packing
