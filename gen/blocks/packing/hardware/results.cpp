// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/results.h"

#include <fmt/format.h>

#include <stdexcept>

namespace kumiki::gen::packing {
namespace {

class ResultBuilder {
 public:
  ResultBuilder(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                const ResultSources& sources, const ResultControls& controls)
      : s_(s), plan_(plan), operands_(operands), sources_(sources), controls_(controls) {}

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

  // The field of a P. An offset-binary field is two's complement except for its top bit.
  Addend field(const Signal& signal) {
    const auto width = static_cast<std::uint32_t>(signal.width);
    const UInt bits =
        sources_.words[signal.slice].slice(static_cast<std::uint32_t>(signal.lsb), width);
    Addend a = signal.is_signed || signal.flip ? Addend::of(SInt(bits)) : Addend::of(bits);
    a.flipped = signal.flip;
    return a;
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
    const Stagger stagger{static_cast<std::uint32_t>(operand_sum_bits(plan_, ref)),
                          controls_.enable};
    Timed total = sum_as_they_come(s_, terms, stagger);
    if (plan_.words > 1) {
      const int time = total.time;
      total.addend = accumulated(total.addend, format.is_signed, 0, stagger, [&](int late) {
        return Step{controls_.enable, controls_.first->after(time + late)};
      });
      ++total.time;
    }
    return {level(s_, total.addend, stagger), total.time + stagger.most()};
  }

  Addend addend(const Result& r, const Signal& signal, int ready) {
    Addend a;
    int time = 0;
    switch (signal.kind) {
      case Signal::Kind::Bits:
        a = field(signal);
        a.may_ride = signal.width == 1 && !signal.is_signed && !signal.flip;
        time = plan_.slices[signal.slice].cycle;
        if (flips_early(plan_, r, signal)) {
          a = unflipped(s_, a);
          a.bits = reg(s_, UInt(a.bits), {.enable = controls_.enable});
          ++time;
        }
        break;
      case Signal::Kind::Counter: {
        const Counter& c = plan_.counters[signal.counter];
        a = Addend::of(UInt(sources_.counters[signal.counter]));
        time = counter_cycle(plan_, c);
        break;
      }
      case Signal::Kind::Carries:
        a = sources_.carries[signal.carries];
        time = plan_.carry_sums[signal.carries].cycle;
        break;
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

  // For a running total: when it takes an addend, and whether this is the first one.
  struct Step {
    Net enable, first;
  };
  // Loads `start` + x in the first cycle and adds x in the following ones. x and the total are
  // staggered. `step` receives the delay in clocks of a part.
  template <class StepOf>
  Addend accumulated(const Addend& x, bool is_signed, Exact start, const Stagger& stagger,
                     const StepOf& step, Net carry = ir::net_zero) {
    if (x.negative) throw std::logic_error("a running total of what is subtracted");
    const std::uint32_t width = stagger.width;
    const UInt more = aligned(s_, x, 0, width, stagger);
    const UInt initial = s_.constant(raw_of(start, width), width);
    std::vector<Word> high_to_low;
    for (std::uint32_t from = 0; from < width;) {
      const std::uint32_t n = stagger.part_end(from) - from;
      const bool last = from + n == width;
      const Step now = step(stagger.at(static_cast<int>(from)));
      Reg<UInt> total(s_, last ? n : n + 1, {.enable = now.enable});
      UInt added = more.slice(from, n);
      UInt propagate = lut_o6(
          s_, [](bool t, bool i, bool f, bool m) { return (f ? i : t) != m; },
          SourceLocation::current(), total.q().slice(0, n), initial.slice(from, n), now.first,
          added);
      if (!last) {  // one more position, where the carry leaves
        propagate = zext(s_, propagate, n + 1);
        added = zext(s_, added, n + 1);
      }
      total.next(carry_chain(s_, propagate, added, carry).sum);
      if (!last) carry = total.q().msb();
      high_to_low.insert(high_to_low.begin(), total.q().slice(0, n));
      from += n;
    }
    const UInt all = cat(s_, std::span<const Word>(high_to_low));
    return is_signed ? Addend::of(SInt(all)) : Addend::of(all);
  }

  // The fabric adds rounds: first all addends of one round, then the running total.
  Addend over_rounds(const Result& r, std::vector<Addend> addends, const Stage& stage,
                     const Stagger& stagger) {
    const int time = stage.cycle - stagger.most() - 1, levels = time - stage.ready;
    Net carry = ir::net_zero;
    if (levels == 0 && addends.size() == 2 && addends[1].may_ride && addends[1].shift == 0) {
      carry = addends[1].bits[0];
      addends.pop_back();
    }
    const Addend x = staggered_sum(s_, addends, plan_sum(addends, levels, stagger.width), stagger);
    return accumulated(
        x, r.is_signed, r.constant, stagger,
        [&](int late) {
          const int now = time + late;
          return Step{plan_.words > 1 ? s_.net(controls_.enable & controls_.last->after(now))
                                      : controls_.enable,
                      controls_.first_round->after(now)};
        },
        carry);
  }

  Word result(const Result& r) {
    const auto width = static_cast<std::uint32_t>(r.bits);
    const Stagger stagger{width, controls_.enable};
    Addend total;
    for (std::size_t k = 0; k < r.stages.size(); ++k) {
      const Stage& stage = r.stages[k];
      std::vector<Addend> addends;
      if (k > 0) {
        total.bits = wait(total.bits, stage.ready - r.stages[k - 1].cycle);
        addends.push_back(total);
      }
      for (int i = stage.first; i < stage.first + stage.count; ++i) {
        const Addend a = addend(r, r.signals[i], stage.ready);
        if (a.shift < r.bits) addends.push_back(a);  // else it is 0 modulo 2^bits
      }
      const bool last = k + 1 == r.stages.size();
      const bool folded = last && plan_.rounds > 1;
      if (last && !folded && !is_multiple_of_power(r.constant, width))
        addends.push_back(constant(r.constant, width));
      // Everything it adds is a multiple of 2^bits.
      if (addends.empty())
        addends.push_back({.bits = s_.constant(0, 1), .range = Interval::point(0)});
      if (folded) {
        total = level(s_, over_rounds(r, std::move(addends), stage, stagger), stagger);
        break;
      }
      const int clocks = stage.cycle - stage.ready;
      total = addends.front();
      if (clocks > 0)
        total =
            sum(s_, addends, plan_sum(addends, clocks - stagger.most(), width), controls_.enable);
    }
    return to_width(s_, unflipped(s_, total), width);
  }

  // 0 modulo 2^bits.
  static bool is_multiple_of_power(Exact value, std::uint32_t bits) {
    return (value & ((Exact{1} << bits) - 1)) == 0;
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
  const ResultSources& sources_;
  const ResultControls& controls_;
};

}  // namespace

std::vector<Word> build_results(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                                const ResultSources& sources, const ResultControls& controls) {
  return ResultBuilder(s, plan, operands, sources, controls).build();
}

}  // namespace kumiki::gen::packing
