// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/results.h"

#include <fmt/format.h>

#include <stdexcept>

#include "gen/blocks/packing/hardware/sum.h"

namespace kumiki::gen::packing {
namespace {

class ResultBuilder {
 public:
  ResultBuilder(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                const std::vector<SInt>& words, const std::vector<Word>& counters,
                const ResultControls& controls)
      : s_(s),
        plan_(plan),
        operands_(operands),
        words_(words),
        counters_(counters),
        controls_(controls) {}

  std::vector<Word> build() {
    const int end = plan_.latency - static_cast<int>(plan_.cycles() - 1);
    std::vector<Word> all;
    for (const Result& r : plan_.results) {
      const Word word = result(r);
      all.push_back(wait(word, end - r.stages.back().cycle));
      s_.named(fmt::format("sum{}", all.size() - 1), UInt(all.back()));
    }
    return all;
  }

 private:
  Word wait(const Word& word, int cycles) {
    return delay(s_, UInt(word), static_cast<std::uint32_t>(cycles), controls_.enable);
  }

  // The field of a P; an offset-binary one becomes two's complement by its inverted top bit.
  Addend field(const Signal& signal) {
    const auto width = static_cast<std::uint32_t>(signal.width);
    UInt bits = words_[signal.slice].slice(static_cast<std::uint32_t>(signal.lsb), width);
    if (signal.flip) {
      const UInt top = s_.word(~bits.slice(width - 1, 1));
      bits = width > 1 ? cat(s_, {top, bits.slice(0, width - 1)}) : top;
    }
    return signal.is_signed || signal.flip ? Addend::of(SInt(bits)) : Addend::of(bits);
  }

  // The sum of an operand over the terms of a cycle, and over the cycles of a round.
  Timed operand_sum(OperandRef ref) {
    std::vector<Timed> terms;
    const OperandFormat& format = ref.side == Side::Packed ? plan_.packed : plan_.shared;
    for (const Slice& slice : plan_.slices) {
      if (slice.term < 0) continue;
      const Word& word = operands_.at(ref, slice.term);
      Addend a = format.is_signed ? Addend::of(SInt(word)) : Addend::of(UInt(word));
      a.range = format.interval();
      terms.push_back({a, arrival(plan_, slice)});
    }
    Timed total = sum_as_they_come(s_, terms, controls_.enable);
    if (plan_.words == 1) return total;
    const Interval range = total.addend.range * plan_.words;
    total.addend =
        accumulated(total.addend, range, 0, controls_.enable, controls_.first->after(total.time));
    ++total.time;
    return total;
  }

  Addend addend(const Signal& signal, int ready) {
    Addend a;
    int time = 0;
    switch (signal.kind) {
      case Signal::Kind::Bits:
        a = field(signal);
        a.may_ride = signal.width == 1 && !signal.is_signed && !signal.flip;
        time = plan_.slices[signal.slice].cycle;
        break;
      case Signal::Kind::Counter: {
        const Counter& c = plan_.counters[signal.counter];
        a = c.lowest < 0 ? Addend::of(SInt(counters_[signal.counter]))
                         : Addend::of(UInt(counters_[signal.counter]));
        time = plan_.slices[c.slice].cycle + 1;
        break;
      }
      case Signal::Kind::OperandSum: {
        const Timed sum = operand_sum(signal.operand);
        a = sum.addend;
        time = sum.time;
        break;
      }
    }
    if (time > ready) throw std::logic_error("an addend comes after its stage");
    a.bits = wait(a.bits, ready - time);
    a.may_ride = a.may_ride && signal.coefficient > 0;
    return a.times(signal.coefficient);
  }

  // Loads `start` + x in the first cycle, adds x in the following ones.
  Addend accumulated(const Addend& x, const Interval& range, Exact start, Net enable, Net first,
                     Net carry = ir::net_zero) {
    const Interval whole = hull(range, Interval{}) + start;
    const bool is_signed = whole.lo < 0 || x.is_signed;
    const auto width = static_cast<std::uint32_t>(
        is_signed ? signed_bits(whole) : std::max(1, bits_for_count(whole.hi + 1)));
    return accumulated_in(x, width, is_signed, start, enable, first, carry);
  }

  Addend accumulated_in(const Addend& x, std::uint32_t width, bool is_signed, Exact start,
                        Net enable, Net first, Net carry) {
    const UInt more = to_width(s_, x, width);
    const UInt initial = s_.constant(raw_of(start, width), width);
    Reg<UInt> total(s_, width, {.enable = enable});
    const UInt propagate = lut_o6(
        s_, [](bool t, bool i, bool f, bool m) { return (f ? i : t) != m; },
        SourceLocation::current(), total.q(), initial, first, more);
    total.next(carry_chain(s_, propagate, more, carry).sum);
    return is_signed ? Addend::of(SInt(total.q())) : Addend::of(total.q());
  }

  // Rounds are added in the fabric: first all addends of one round, then the running total.
  Addend over_rounds(const Result& r, std::vector<Addend> addends, const Stage& stage,
                     std::uint32_t width) {
    const int levels = stage.cycle - stage.ready - 1;
    Net carry = ir::net_zero;
    if (levels == 0 && addends.size() == 2 && addends[1].may_ride && addends[1].shift == 0) {
      carry = addends[1].bits[0];
      addends.pop_back();
    }
    const Addend x = sum(s_, addends, levels, width, controls_.enable);
    const int time = stage.cycle - 1;
    Net enable = controls_.enable;
    if (plan_.words > 1) enable = s_.net(enable & controls_.last->after(time));
    return accumulated_in(x, width, r.is_signed, r.constant, enable,
                          controls_.first_round->after(time), carry);
  }

  Word result(const Result& r) {
    const auto width = static_cast<std::uint32_t>(r.bits);
    Addend total;
    for (std::size_t k = 0; k < r.stages.size(); ++k) {
      const Stage& stage = r.stages[k];
      std::vector<Addend> addends;
      if (k > 0) {
        total.bits = wait(total.bits, stage.ready - r.stages[k - 1].cycle);
        addends.push_back(total);
      }
      for (int i = stage.first; i < stage.first + stage.count; ++i) {
        const Addend a = addend(r.signals[i], stage.ready);
        if (a.shift < r.bits) addends.push_back(a);  // else it is 0 modulo 2^bits
      }
      const bool last = k + 1 == r.stages.size();
      if (last && plan_.rounds > 1) {
        total = over_rounds(r, std::move(addends), stage, width);
        break;
      }
      if (last && r.constant != 0) addends.push_back(constant(r.constant, width));
      total = sum(s_, std::move(addends), stage.cycle - stage.ready, width, controls_.enable);
    }
    return to_width(s_, total, width);
  }

  // A constant in the fewest bits, without its trailing zeros.
  Addend constant(Exact value, std::uint32_t width) {
    int shift = 0;
    while ((value >> shift & 1) == 0) ++shift;
    const Exact odd = value >> shift;
    const int bits = odd < 0 ? signed_bits(Interval::point(odd)) : bits_for_count(odd + 1);
    const int kept = std::min(bits, static_cast<int>(width) - shift);
    Addend a{.bits = s_.constant(raw_of(odd, kept), static_cast<std::uint32_t>(kept)),
             .is_signed = odd < 0,
             .range = Interval::point(odd),
             .shift = shift};
    if (kept < bits) a.range = Format{kept, a.is_signed}.range();
    return a;
  }

  Scope& s_;
  const PackingPlan& plan_;
  const OperandNets& operands_;
  const std::vector<SInt>& words_;
  const std::vector<Word>& counters_;
  const ResultControls& controls_;
};

}  // namespace

std::vector<Word> build_results(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                                const std::vector<SInt>& words, const std::vector<Word>& counters,
                                const ResultControls& controls) {
  return ResultBuilder(s, plan, operands, words, counters, controls).build();
}

}  // namespace kumiki::gen::packing
