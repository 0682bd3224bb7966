// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/sum.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/rows.h"
#include "ir/resources.h"

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

// Delays every bit by its own number of clocks; neighbours stay together, constants stay as they
// are.
template <class Late>
UInt each_later(Scope& s, const Word& word, Net enable, const Late& late) {
  std::vector<Word> high_to_low;
  for (std::uint32_t at = 0; at < word.width();) {
    std::uint32_t end = at + 1;
    while (end < word.width() && late(end) == late(at) &&
           word[end].is_constant() == word[at].is_constant())
      ++end;
    UInt part = UInt(word).slice(at, end - at);
    if (late(at) > 0 && !word[at].is_constant())
      part = delay(s, part, static_cast<std::uint32_t>(late(at)), enable);
    high_to_low.insert(high_to_low.begin(), part);
    at = end;
  }
  return cat(s, std::span<const Word>(high_to_low));
}

// Bits for a value of this range: unsigned if it is never negative.
int bits_of(const Interval& range) {
  return range.lo < 0 ? signed_bits(range) : std::max(1, bits_for_count(range.hi + 1));
}

bool is_zero(const Word& w) {
  return std::all_of(w.nets().begin(), w.nets().end(), [](Net n) { return n == ir::net_zero; });
}

// A part of x + y, or of x - y, and the carry into the next part. If one of the two is 0, the other
// passes without an adder.
struct Part {
  UInt sum;
  Net carry;
};
Part part_of_sum(Scope& s, const UInt& x, const UInt& y, Net carry, bool subtract, bool more) {
  const Net nothing = ir::constant(subtract);  // a carry that changes nothing
  if (carry == nothing && is_zero(y)) return {x, nothing};
  if (carry == nothing && is_zero(x) && !subtract) return {y, nothing};
  const UInt made = sum_part(s, x, y, carry, subtract, more);
  return {made.slice(0, x.width()), more ? made.msb() : nothing};
}

struct Reduction {
  std::vector<Addend> words, riders;  // riders: single bits of positive weight
};

// Splits the addends into words and riders (single bits on carry inputs). There is room for one
// rider an addition, and a bit rides only if the addition begins at its weight. If words have other
// weights, it is safer to make more bits words, as many as the levels can take.
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
  // Narrow words come last, because the word that waits a level takes flip-flops.
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
  const UInt word = aligned(s, a, 0, width, {.width = 1});  // aligned: its sign has no delay
  return a.negative ? UInt(negate(s, SInt(word))) : word;
}

std::uint32_t Stagger::part_end(std::uint32_t position) const {
  const int late = at(static_cast<int>(position));
  return late == most() ? width : static_cast<std::uint32_t>(late + 1) * arith::other_part;
}

Addend unflipped(Scope& s, Addend a) {
  if (!a.flipped) return a;
  const std::uint32_t top = a.bits.width() - 1;
  const UInt bits(a.bits), sign = s.word(~bits.slice(top, 1));
  a.bits = top > 0 ? cat(s, {sign, bits.slice(0, top)}) : sign;
  a.flipped = false;
  return a;
}

Addend staggered(Scope& s, Addend a, const Stagger& stagger) {
  a.bits = each_later(s, a.bits, stagger.enable,
                      [&](std::uint32_t i) { return stagger.at(a.shift + static_cast<int>(i)); });
  return a;
}

Addend level(Scope& s, Addend a, const Stagger& stagger) {
  a.bits = each_later(s, a.bits, stagger.enable, [&](std::uint32_t i) {
    return stagger.most() - stagger.at(a.shift + static_cast<int>(i));
  });
  return a;
}

UInt aligned(Scope& s, const Addend& a, int from, std::uint32_t width, const Stagger& stagger) {
  std::vector<Net> nets(width, ir::net_zero);
  const int top = a.shift + static_cast<int>(a.bits.width()) - 1;
  Net sign = a.is_signed ? a.bits.msb() : Net(ir::net_zero);
  int late = stagger.at(top);
  for (std::uint32_t i = 0; i < width; ++i) {
    const int at = static_cast<int>(i) + from;
    if (at >= a.shift && at <= top) nets[i] = a.bits[static_cast<std::uint32_t>(at - a.shift)];
    if (at <= top) continue;
    for (; late < stagger.at(at); ++late)
      if (!sign.is_constant()) sign = reg(s, sign, {.enable = stagger.enable});
    nets[i] = sign;
  }
  return bits(s, nets);
}

int first_position(const Addend& a, const Addend& b) {
  // Below the higher shift there is only one addend. Its bits pass, unless they are subtracted.
  const bool pass = a.negative == b.negative || !(a.shift < b.shift ? a : b).negative;
  return pass ? std::max(a.shift, b.shift) : std::min(a.shift, b.shift);
}

Addend add(Scope& s, const Addend& first, const Addend& second, Net carry, const Stagger& stagger) {
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
  const int room = static_cast<int>(stagger.width) - low;
  const int count = std::min(room, bits_of(magnitude));
  sum.is_signed = magnitude.lo < 0;
  // After a cut to the modulus, only the number of bits is known.
  sum.range = bits_of(magnitude) <= room ? magnitude : Format{count, sum.is_signed}.range();
  if (subtract && carry != ir::net_zero)
    throw std::logic_error("a bit cannot ride on a subtraction");

  const auto passed = static_cast<std::uint32_t>(std::min(count, start - low));
  std::vector<Word> high_to_low;
  if (passed > 0)
    high_to_low.push_back(aligned(s, a.shift <= b.shift ? a : b, low, passed, stagger));
  const auto begin = static_cast<std::uint32_t>(low) + passed,
             end = static_cast<std::uint32_t>(low + count);
  const UInt x = aligned(s, a, static_cast<int>(begin), end - begin, stagger),
             y = aligned(s, b, static_cast<int>(begin), end - begin, stagger);
  Net enters = subtract ? Net(ir::net_one) : carry;
  for (std::uint32_t from = begin; from < end;) {
    const std::uint32_t n = std::min(end, stagger.part_end(from)) - from;
    const Part made = part_of_sum(s, x.slice(from - begin, n), y.slice(from - begin, n), enters,
                                  subtract, from + n < end);
    high_to_low.insert(high_to_low.begin(), made.sum);
    enters = made.carry.is_constant() ? made.carry : reg(s, made.carry, {.enable = stagger.enable});
    from += n;
  }
  sum.bits = cat(s, std::span<const Word>(high_to_low));
  return sum;
}

namespace {

// Empty if the levels are too few.
std::optional<Addend> sum_by_adders(Scope& s, std::vector<Addend> addends, int levels,
                                    const Stagger& stagger) {
  const Net enable = stagger.enable;
  for (Addend& a : addends) a = staggered(s, unflipped(s, a), stagger);
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
          increment ? add(s, words[i], nothing.times(std::int64_t{1} << position), carry, stagger)
                    : add(s, words[i], other, carry, stagger));
    }
    words = std::move(next);
    for (Addend& a : words) a = registered(s, a, enable);
    for (Addend& a : riders) a = registered(s, a, enable);
  }
  if (words.size() != 1 || !riders.empty()) return {};
  return words.front();
}

// A heap of all addends. An empty column on top takes the carries of a tree's last atoms.
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
    if (a.flipped) {
      // Add its top bit as it is, and subtract the excess.
      const std::int64_t half = std::int64_t{1} << (a.bits.width() - 1);
      a.negative ? h.heap.subtract(UInt(a.bits), column) : h.heap.add(UInt(a.bits), column);
      h.heap.add_constant(a.negative ? half : -half, column);
    } else if (a.is_signed)
      a.negative ? h.heap.subtract(SInt(a.bits), column) : h.heap.add(SInt(a.bits), column);
    else
      a.negative ? h.heap.subtract(UInt(a.bits), column) : h.heap.add(UInt(a.bits), column);
  }
  return h;
}

std::optional<compressor::TreePlan> least_tree(const compressor::Shape& shape, int levels) {
  std::optional<compressor::TreePlan> least;
  unsigned fewest = 0;
  for (int stages = 0; stages < levels; ++stages) {
    auto plan = compressor::row_tree(shape, static_cast<unsigned>(stages));
    if (!plan) continue;
    const unsigned luts = audit(*plan).luts();
    if (least && luts >= fewest) continue;
    least = std::move(plan);
    fewest = luts;
  }
  return least;
}

Addend sum_on_tree(Scope& s, const Heaped& h, const compressor::TreePlan& plan, int levels,
                   const Stagger& stagger) {
  compressor::Pipeline pipeline{.every = 1, .enable = stagger.enable, .cuts = {}};
  for (int part = 1; part <= stagger.most(); ++part)
    pipeline.cuts.push_back(
        static_cast<unsigned>(std::max(0, part * static_cast<int>(arith::other_part) - h.low)));
  const UInt all = compressor::compress(s, h.heap, plan, pipeline);
  Addend sum{.bits = all.slice(0, all.width() - 1),
             .is_signed = h.range.lo < 0,
             .range = h.range,
             .shift = h.low};
  const int bits = static_cast<int>(sum.bits.width());
  // After a cut to the modulus, only the number of bits is known.
  if (bits_of(h.range) > bits) sum.range = Format{bits, sum.is_signed}.range();
  for (auto level = compressor::latency(plan, 1); level < static_cast<unsigned>(levels); ++level)
    sum = registered(s, sum, stagger.enable);
  return sum;
}

// Drops addends above the sum's width, which do not change it.
std::vector<Addend> counting(std::vector<Addend> addends, std::uint32_t width) {
  const auto lies_above = [&](const Addend& a) { return a.shift >= static_cast<int>(width); };
  if (!std::ranges::all_of(addends, lies_above)) std::erase_if(addends, lies_above);
  return addends;
}

// Both forms of a sum of inputs with the same widths and constants, in a scratch module.
SumPlan compared(const std::vector<Addend>& addends, int levels, std::uint32_t width) {
  const Stagger stagger{width};
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
  const auto sites = [&] { return ir::own_cost(s.module()).luts; };
  SumPlan plan{.levels = levels, .width = width};
  const bool fits = sum_by_adders(s, like, levels, stagger).has_value();
  const unsigned before = sites();
  plan.sites.adders = fits ? before : SumSites::unfit;
  const Heaped h = heaped(like, width);
  auto tree = least_tree(h.heap.shape(), levels);
  if (!tree) return plan;
  (void)sum_on_tree(s, h, *tree, levels, stagger);
  plan.sites.tree = sites() - before;
  if (addends.size() > 2 && plan.sites.on_tree()) plan.tree = std::move(tree);
  return plan;
}

// Everything of a sum that its form depends on.
using SumKey = std::vector<std::int64_t>;
SumKey key_of(const std::vector<Addend>& addends, int levels, std::uint32_t width) {
  SumKey key{levels, width};
  for (const Addend& a : addends) {
    key.insert(key.end(),
               {a.shift, a.is_signed, a.negative, a.may_ride, a.flipped, a.bits.width(),
                static_cast<std::int64_t>(a.range.lo), static_cast<std::int64_t>(a.range.hi)});
    for (std::uint32_t i = 0; i < a.bits.width(); ++i)
      if (a.bits[i].is_constant()) key.insert(key.end(), {i, a.bits[i] == ir::net_one});
  }
  return key;
}

// Layers of a network ask for the same sums again and again, in several threads.
template <class Value>
class Remembered {
 public:
  template <class Make>
  Value find(const SumKey& key, const Make& make) {
    {
      const std::scoped_lock lock(lock_);
      if (const auto known = values_.find(key); known != values_.end()) return known->second;
    }
    Value made = make();
    const std::scoped_lock lock(lock_);
    return values_.emplace(key, std::move(made)).first->second;
  }

 private:
  std::mutex lock_;
  std::map<SumKey, Value> values_;
};

}  // namespace

SumPlan plan_sum(const std::vector<Addend>& all, int levels, std::uint32_t width) {
  static Remembered<SumPlan> plans;
  const auto addends = counting(all, width);
  return plans.find(key_of(addends, levels, width),
                    [&] { return compared(addends, levels, width); });
}

unsigned sites_of_sum(const std::vector<Addend>& all, int levels, std::uint32_t width) {
  constexpr std::size_t few = 6;
  static Remembered<unsigned> sites;
  const auto addends = counting(all, width);
  return sites.find(key_of(addends, levels, width), [&] {
    if (addends.size() > few)
      if (const auto tree = least_tree(heaped(addends, width).heap.shape(), levels))
        return audit(*tree).luts();
    const SumSites both = plan_sum(addends, levels, width).sites;
    if (both.best() != SumSites::unfit) return both.best();
    unsigned bits = 0;
    for (const Addend& a : addends) bits += a.bits.width();
    return bits;
  });
}

Addend staggered_sum(Scope& s, std::vector<Addend> addends, const SumPlan& plan,
                     const Stagger& stagger) {
  addends = counting(std::move(addends), plan.width);
  if (addends.size() > 2 && plan.sites.adders != SumSites::unfit)
    s.builder().count_saved(std::int64_t{plan.sites.adders} - std::int64_t{plan.sites.best()});
  if (plan.tree) {
    for (Addend& a : addends) a = staggered(s, a, stagger);
    return sum_on_tree(s, heaped(addends, plan.width), *plan.tree, plan.levels, stagger);
  }
  auto all = sum_by_adders(s, std::move(addends), plan.levels, stagger);
  if (!all) throw std::logic_error("a sum does not fit its levels");
  return *all;
}

Addend sum(Scope& s, std::vector<Addend> addends, const SumPlan& plan, Net enable) {
  const Stagger stagger{plan.width, enable};
  return level(s, staggered_sum(s, std::move(addends), plan, stagger), stagger);
}

Timed sum_as_they_come(Scope& s, std::vector<Timed> addends, const Stagger& stagger) {
  const auto earlier = [](const Timed& a, const Timed& b) { return a.time < b.time; };
  std::stable_sort(addends.begin(), addends.end(), earlier);
  std::vector<Timed> sums;
  for (std::size_t i = 0, end; i < addends.size(); i = end) {
    std::vector<Addend> together;
    for (end = i; end < addends.size() && addends[end].time == addends[i].time; ++end)
      together.push_back(addends[end].addend);
    const auto count = static_cast<int>(together.size());
    if (count < fewest_together) {
      for (const Addend& a : together) sums.push_back({staggered(s, a, stagger), addends[i].time});
      continue;
    }
    const SumPlan plan = plan_sum(together, adder_levels(count, 0), stagger.width);
    sums.push_back(
        {staggered_sum(s, std::move(together), plan, stagger), addends[i].time + plan.levels});
  }
  addends = std::move(sums);
  std::stable_sort(addends.begin(), addends.end(), earlier);
  while (addends.size() > 1) {
    Timed a = addends[0], b = addends[1];
    addends.erase(addends.begin(), addends.begin() + 2);
    a.addend = waiting(s, a.addend, b.time - a.time, stagger.enable);
    Timed both{registered(s, add(s, a.addend, b.addend, ir::net_zero, stagger), stagger.enable),
               b.time + 1};
    addends.insert(std::upper_bound(addends.begin(), addends.end(), both, earlier), both);
  }
  return addends.front();
}

}  // namespace kumiki::gen::packing
