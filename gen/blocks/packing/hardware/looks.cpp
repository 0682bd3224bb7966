// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gen/blocks/packing/hardware/registered_functions.h"
#include "gen/hdl/carry_chains.h"
#include "ir/resources.h"

namespace kumiki::gen::packing {
namespace {

class Looks {
 public:
  Looks(Scope& s, const PackingPlan& plan, const CarrySum& sum, const std::vector<SInt>& words,
        Net enable)
      : s_(s), plan_(plan), sum_(sum), words_(words), enable_(enable), functions_(s, enable) {}

  Addend carries() {
    std::vector<Seen> wraps;
    for (const Look& look : sum_.looks)
      if (const Net seen = wrap(look); !seen.is_constant())
        wraps.push_back({seen, plan_.slices[look.slice].cycle});
    Addend all = Addend::of(wraps.size() <= most_of_lut ? count_in_luts(wraps) : count(wraps));
    functions_.finish();
    all.range = {sum_.lowest, sum_.highest};
    return all;
  }

 private:
  struct Seen {
    Net wrap;
    int cycle = 0;  // of its slice
  };
  static constexpr unsigned most_of_lut = 6, added_in_lut = 5;

  // In flip-flops, of which there are two beside each LUT: a few for each slice, however far apart
  // the looks are.
  template <class T>
  T waiting(const T& value, int clocks) {
    return later(s_, value, clocks, RegOptions{.enable = enable_});
  }

  // Whether the lane has wrapped round since the look before; registered.
  Net wrap(const Look& look) {
    const Lane& lane = plan_.lanes[static_cast<std::size_t>(sum_.lane) - 1];
    const auto width = static_cast<std::uint32_t>(sum_.width),
               low = static_cast<std::uint32_t>(lane.offset + lane.width) - width;
    const auto top = [&](int slice) { return words_[slice].slice(low, width); };
    const UInt now = top(look.slice);
    std::vector<Net> nets(now.nets().begin(), now.nets().end());
    if (look.before >= 0) {
      const UInt before = waiting(top(look.before),
                                  plan_.slices[look.slice].cycle - plan_.slices[look.before].cycle);
      nets.insert(nets.end(), before.nets().begin(), before.nets().end());
    }
    const unsigned mask = (1u << width) - 1;
    return functions_.add(nets, [=](unsigned index) {
      const unsigned newer = (index & mask) + static_cast<unsigned>(look.added),
                     older = (index >> width & mask) + static_cast<unsigned>(look.added_before);
      return (newer & mask) < (older & mask);
    });
  }

  // The nets of so many looks from `first` on, in the clock of the last of them.
  std::vector<Net> together(const std::vector<Seen>& wraps, std::size_t first, std::size_t count) {
    std::vector<Net> nets;
    for (std::size_t k = first; k < first + count; ++k)
      nets.push_back(waiting(wraps[k].wrap, wraps[first + count - 1].cycle - wraps[k].cycle));
    return nets;
  }

  SInt count_in_luts(const std::vector<Seen>& wraps) {
    const std::vector<Net> in = together(wraps, 0, wraps.size());
    std::vector<Net> number;
    for (int bit = 0; bit < sum_.bits; ++bit)
      number.push_back(functions_.add(in, [&](unsigned ones) {
        return ((std::popcount(ones) + sum_.lowest) >> bit & 1) != 0;
      }));
    return SInt(bits(s_, number));
  }

  // A running total. A position of its carry chain adds a bit of the number of five looks, which is
  // a function inside its LUT. A sixth look is the carry into the chain. The first total is a look
  // by itself. The last sum adds what is counted too much.
  SInt count(const std::vector<Seen>& wraps) {
    UInt total = bits(s_, {wraps.front().wrap});
    int now = wraps.front().cycle;
    for (std::size_t next = 1; next < wraps.size();) {
      const std::size_t taken = std::min<std::size_t>(added_in_lut + 1, wraps.size() - next);
      std::vector<Net> looks = together(wraps, next, taken);
      next += taken;
      const int ready = wraps[next - 1].cycle;
      total = delay(s_, total, static_cast<std::uint32_t>(ready - now), enable_);
      const Net carry = looks.back();
      looks.pop_back();
      const bool is_last = next == wraps.size();
      const int width = is_last ? sum_.bits : std::bit_width(next);
      const UInt sum = with_looks(total, looks, carry, is_last ? sum_.lowest : 0, width);
      total = reg(s_, sum, {.enable = enable_});
      now = ready + 1;
    }
    return SInt(total);
  }

  // total + the number of these looks + carry + from.
  UInt with_looks(const UInt& total, const std::vector<Net>& looks, Net carry, std::int64_t from,
                  int width) {
    std::vector<Net> propagate, di;
    for (int bit = 0; bit < width; ++bit) {
      const auto digit = [&](int count) { return ((count + from) >> bit & 1) != 0; };
      const auto at = static_cast<std::uint32_t>(bit);
      const Net held = at < total.width() ? total[at] : ir::net_zero;
      if (const bool always = digit(0); is_same(digit, looks.size())) {
        di.push_back(ir::constant(always));
        propagate.push_back(held.is_constant() ? di.back()
                                               : lut_buffer(s_, bits(s_, {held}), always,
                                                            SourceLocation::current())[0]);
        continue;
      }
      Table number{.inputs = static_cast<unsigned>(looks.size())};
      for (unsigned index = 0; index < 1u << looks.size(); ++index)
        number.bits |= std::uint64_t{digit(std::popcount(index))} << index;
      const CarryPosition p = net_and_function(s_, held, number, looks);
      propagate.push_back(p.propagate);
      di.push_back(p.di);
    }
    return carry_chain(s_, bits(s_, propagate), bits(s_, di), carry).sum;
  }

  template <class Digit>
  static bool is_same(const Digit& digit, std::size_t most) {
    for (std::size_t count = 1; count <= most; ++count)
      if (digit(static_cast<int>(count)) != digit(0)) return false;
    return true;
  }

  Scope& s_;
  const PackingPlan& plan_;
  const CarrySum& sum_;
  const std::vector<SInt>& words_;
  Net enable_;
  RegisteredFunctions functions_;
};

}  // namespace

Addend build_looks(Scope& s, const PackingPlan& plan, const CarrySum& sum,
                   const std::vector<SInt>& words, Net enable) {
  s.remark(fmt::format("carries into lane {}", sum.lane));
  return Looks(s, plan, sum, words, enable).carries();
}

unsigned sites_of_looks(const PackingPlan& plan, const CarrySum& sum) {
  Builder scratch;
  Scope s(scratch, scratch.design().add_module("looks"));
  std::vector<SInt> words(plan.slices.size());
  for (const Look& look : sum.looks)
    words[static_cast<std::size_t>(look.slice)] =
        s.input<SInt>(fmt::format("p{}", look.slice), kWordBits);
  (void)Looks(s, plan, sum, words, ir::net_one).carries();
  const ir::Cost cost = ir::own_cost(s.module());
  return static_cast<unsigned>(cost.luts + cost.lut_rams);
}

}  // namespace kumiki::gen::packing
