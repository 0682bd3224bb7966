// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gen/blocks/packing/hardware/registered_functions.h"
#include "ir/resources.h"

namespace kumiki::gen::packing {
namespace {

class Looks {
 public:
  Looks(Scope& s, const PackingPlan& plan, const CarrySum& sum, const std::vector<SInt>& words,
        Net enable)
      : s_(s), plan_(plan), sum_(sum), words_(words), enable_(enable), functions_(s, enable) {}

  Addend carries() {
    std::vector<Net> wraps;
    for (const Look& look : sum_.looks) wraps.push_back(wrap(look));
    std::vector<Timed> counts;
    for (const LookGroup& group : look_groups(plan_, sum_))
      counts.push_back({count(wraps, group), group.cycle});
    functions_.finish();
    const Stagger stagger{static_cast<std::uint32_t>(sum_.bits), enable_};
    Addend all = sum_as_they_come(s_, std::move(counts), stagger).addend;
    if (looks_alone(sum_) > 0) {
      // The last two looks: a number of one bit, and the carry.
      const std::size_t last = wraps.size() - 1;
      const int now = sum_.cycle - 1, groups = groups_cycle(plan_, sum_);
      all.bits = waiting(UInt(all.bits), now - groups);
      const Net one = waiting(wraps[last - 1], now - cycle(last - 1) - 1),
                carry = waiting(wraps[last], now - cycle(last) - 1);
      all = add(s_, all, Addend::of(bits(s_, {one})), carry, stagger);
      all.bits = reg(s_, UInt(all.bits), {.enable = enable_});
    }
    all = Addend::of(SInt(to_width(s_, all, stagger.width)));
    all.range = {sum_.lowest, sum_.highest};
    return all;
  }

 private:
  int cycle(std::size_t look) const { return plan_.slices[sum_.looks[look].slice].cycle; }

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

  // The number of wraps of a group; the first group's is reduced by what is counted too much.
  Addend count(const std::vector<Net>& wraps, const LookGroup& group) {
    std::vector<Net> in;
    const std::size_t last = group.first + group.count - 1;
    for (std::size_t k = group.first; k <= last; ++k)
      in.push_back(waiting(wraps[k], cycle(last) - cycle(k)));
    const bool is_first = group.first == 0;
    const std::int64_t from = is_first ? sum_.lowest : 0;
    const Interval range = Interval{0, static_cast<Exact>(in.size())} + from;
    std::vector<Net> number;
    const int width = is_first ? signed_bits(range) : bits_for_count(range.hi + 1);
    for (int bit = 0; bit < width; ++bit)
      number.push_back(functions_.add(
          in, [=](unsigned ones) { return ((std::popcount(ones) + from) >> bit & 1) != 0; }));
    const UInt word = bits(s_, number);
    Addend a = is_first ? Addend::of(SInt(word)) : Addend::of(word);
    a.range = range;
    return a;
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
