// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/fabric.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "gen/blocks/packing/hardware/carries.h"
#include "gen/blocks/packing/hardware/control.h"
#include "gen/blocks/packing/hardware/looks.h"
#include "gen/blocks/packing/hardware/sum.h"
#include "ir/resources.h"

namespace kumiki::gen::packing {
namespace {

// A delay of three or more clocks is a shift register.
std::int64_t sites_of_delay(std::int64_t bits, int clocks) {
  constexpr int fewest = 3, longest = 32;
  return clocks < fewest ? 0 : bits * ((clocks - 1 + longest - 1) / longest);
}

constexpr int counted_words = 1024;

class Counted {
 public:
  explicit Counted(const PackingPlan& plan) : plan_(plan) {}

  std::int64_t all() {
    std::int64_t sites = operand_inverters() + sequence();
    for (const Counter& c : plan_.counters) sites += c.bits + 2;  // for wrap detection and restart
    const bool looks = plan_.separation == Separation::Looks;
    for (const CarrySum& sum : plan_.carry_sums)
      if (looks) sites += sites_of_looks(plan_, sum);
    std::map<std::tuple<int, bool>, std::int64_t> chains;
    for (const Chain& chain : plan_.chains) {
      if (plan_.carry_sums.empty() || looks) break;
      const std::tuple kind{chain.count, lacks_a_term(plan_, plan_.slices[chain.first])};
      auto counted = chains.find(kind);
      if (counted == chains.end() || plan_.packed.known() || plan_.shared.known())
        counted = chains.insert_or_assign(kind, sites_of_carries(plan_, chain)).first;
      sites += counted->second;
    }
    for (const CarrySum& sum : plan_.carry_sums)
      if (!looks && sum.cycle > sum.ready)
        sites += sum_of(std::vector(plan_.chains.size(), carry(sum)),
                        sum.cycle - sum.ready - clocks_behind(sum.bits), sum.bits);
    for (const Result& r : plan_.results) sites += result(r);
    return sites;
  }

 private:
  // Bits inverted on the way into the ports of every slice.
  std::int64_t operand_inverters() const {
    std::int64_t each = 0;
    for (const Wiring* port : {&plan_.ports.a, &plan_.ports.d, &plan_.ports.b})
      each += std::ranges::count(port->pieces, true, &Piece::invert);
    return each * std::ranges::count_if(plan_.slices, [](const Slice& s) { return s.term >= 0; });
  }
  static int clocks_behind(int bits) { return arith::chain_clocks(bits) - 1; }

  Addend word(int bits, bool is_signed) {
    std::vector<Net> nets;
    for (int i = 0; i < bits; ++i) nets.push_back(Net{next_++});
    const UInt made = kept(std::move(nets));
    return is_signed ? Addend::of(SInt(made)) : Addend::of(made);
  }
  // A word does not own its nets.
  UInt kept(std::vector<Net> nets) {
    nets_.push_back(std::move(nets));
    return {nets_.back().data(), static_cast<std::uint32_t>(nets_.back().size()), {}};
  }
  Addend carry(const CarrySum& sum) {
    Addend a = word(sum.width, false);
    a.range = {0, sum.highest - sum.lowest};
    return a;
  }

  std::int64_t sum_of(const std::vector<Addend>& addends, int levels, int width) {
    // With no adder level, a second addend uses the accumulator's carry-in.
    if (addends.size() < 2 || levels < 1) return 0;
    // Twice as many words take twice as many LUTs, so for thousands of words only a part is
    // counted.
    if (addends.size() > counted_words) {
      const std::vector part(addends.begin(), addends.begin() + counted_words);
      return sum_of(part, std::min(levels, adder_levels(counted_words, 0)), width) *
             static_cast<std::int64_t>(addends.size()) / counted_words;
    }
    return sites_of_sum(addends, levels, static_cast<std::uint32_t>(width));
  }

  // Without its trailing zeros.
  Addend constant(Exact value, int width) {
    int shift = 0;
    while ((value >> shift & 1) == 0) ++shift;
    const Exact odd = value >> shift;
    std::vector<Net> nets;
    for (int i = 0; i < std::min(width - shift, signed_bits(Interval::point(odd))); ++i)
      nets.push_back(ir::constant((odd >> i & 1) != 0));
    Addend a = Addend::of(SInt(kept(std::move(nets))));
    a.shift = shift;
    return a;
  }

  Addend total_of(const std::vector<Addend>& addends, int width) {
    Interval value;
    int low = addends.front().shift;
    for (const Addend& a : addends) {
      value = value + a.value();
      low = std::min(low, a.shift);
    }
    const Interval range{floor_div(value.lo, power_of_two(low)),
                         floor_div(value.hi, power_of_two(low))};
    const int bits = range.lo < 0 ? signed_bits(range) : std::max(1, bits_for_count(range.hi + 1));
    Addend total = word(std::min(bits, width - low), range.lo < 0);
    if (bits <= width - low) total.range = range;
    total.shift = low;
    return total;
  }

  std::int64_t result(const Result& r) {
    const int end = plan_.latency - static_cast<int>(plan_.cycles() - 1);
    std::int64_t sites = sites_of_delay(r.bits, end - r.stages.back().cycle);
    if (r.wires() && plan_.rounds == 1) return sites + (r.signals[0].flip ? 1 : 0);
    Addend total;
    for (std::size_t k = 0; k < r.stages.size(); ++k) {
      const Stage& stage = r.stages[k];
      std::vector<Addend> addends;
      if (k > 0) {
        addends.push_back(total);
        sites += sites_of_delay(total.bits.width(), stage.ready - r.stages[k - 1].cycle);
      }
      for (int i = stage.first; i < stage.first + stage.count; ++i)
        sites += addend(r, r.signals[i], stage.ready, addends);
      const bool last = k + 1 == r.stages.size(), folded = last && plan_.rounds > 1;
      if (last && !folded && raw_of(static_cast<std::int64_t>(r.constant), r.bits) != 0) {
        addends.push_back(constant(r.constant, r.bits));
      }
      // Everything it adds is a multiple of 2^bits.
      if (addends.empty()) addends.push_back(Addend::of(kept({ir::constant(false)})));
      const int behind = clocks_behind(r.bits);
      sites += sum_of(addends, stage.cycle - stage.ready - behind - (folded ? 1 : 0), r.bits);
      if (folded) sites += r.bits + behind;
      total = total_of(addends, r.bits);
    }
    return sites;
  }

  // Appends the signal to the addends; returns the LUT sites for its delay and logic.
  std::int64_t addend(const Result& r, const Signal& signal, int ready,
                      std::vector<Addend>& addends) {
    Addend a;
    std::int64_t sites = 0;
    switch (signal.kind) {
      case Signal::Kind::Bits: {
        const bool early = flips_early(plan_, r, signal);
        a = word(signal.width, signal.is_signed || signal.flip);
        a.flipped = signal.flip && !early;
        a.may_ride = signal.width == 1 && !a.is_signed && signal.coefficient > 0;
        sites = (early ? 1 : 0) +
                sites_of_delay(signal.width, ready - plan_.slices[signal.slice].cycle - early);
        break;
      }
      case Signal::Kind::Counter: {
        const Counter& c = plan_.counters[signal.counter];
        a = word(c.bits, false);
        sites = sites_of_delay(c.bits, ready - counter_cycle(plan_, c));
        break;
      }
      case Signal::Kind::Carries: {
        const CarrySum& sum = plan_.carry_sums[signal.carries];
        a = word(sum.bits, !sum.looks.empty());
        sites = sites_of_delay(sum.bits, ready - sum.cycle);
        break;
      }
      case Signal::Kind::OperandSum:
        a = word(operand_sum_bits(plan_, signal.operand),
                 (signal.operand.side == Side::Packed ? plan_.packed : plan_.shared).is_signed);
        sites = operand_sum(signal.operand);
        break;
    }
    a = a.times(signal.coefficient);
    if (a.shift < r.bits) addends.push_back(a);
    return sites;
  }

  // The terms of a cycle as they arrive, accumulated over the cycles of a round.
  std::int64_t operand_sum(OperandRef ref) {
    const OperandFormat& format = ref.side == Side::Packed ? plan_.packed : plan_.shared;
    const int bits = operand_sum_bits(plan_, ref);
    std::map<int, int> times;
    for (const Slice& slice : plan_.slices)
      if (slice.term >= 0) ++times[slice.cycle];
    std::int64_t sites = plan_.words > 1 ? bits : 0;
    int before = 0;
    for (const auto& [time, count] : times) {
      if (count > 1)
        sites += sum_of(std::vector(count, word(format.bits, format.is_signed)),
                        adder_levels(count, 0), bits);
      before += count;
      if (before > count) sites += std::min(bits, format.bits + bits_for_count(before));
    }
    return sites;
  }

  std::int64_t sequence() {
    if (plan_.cycles() == 1) return 0;
    Builder scratch;
    Scope s(scratch, scratch.design().add_module("sequence"));
    const UInt in = s.input<UInt>("in", 3);
    (void)build_sequence(s, plan_, in[0], in[1], in[2]);
    std::int64_t sites = ir::own_cost(s.module()).luts;
    // For a missing term the slice clears the product, or LUTs set its operands to 0.
    const int bits =
        plan_.packed_count * plan_.packed.bits + plan_.shared_count * plan_.shared.bits;
    for (const Slice& slice : plan_.slices)
      if (slice.term >= 0 && lacks_a_term(plan_, slice)) sites += masks_products(plan_) ? 1 : bits;
    return sites;
  }

  const PackingPlan& plan_;
  // Net numbers of words that are never built.
  std::uint32_t next_ = 64;
  std::deque<std::vector<Net>> nets_;
};

}  // namespace

std::int64_t sites_of_fabric(const PackingPlan& plan) { return Counted(plan).all(); }

}  // namespace kumiki::gen::packing
