// SPDX-License-Identifier: Apache-2.0
// The carry into a lane is what the lowest bits of its field are more than the products below it
// make them: P - x*y - .. - x*y, modulo the few values it can have. As far as the products do not
// fit beside P in one LUT a bit, they are added up on the way, a product a clock as the operands
// come, and wait for P.
#include "gen/blocks/packing/hardware/carries.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "gen/blocks/packing/hardware/registered_functions.h"
#include "gen/hdl/delay_line.h"

namespace kumiki::gen::packing {
namespace {

// The carries of one chain.
class ChainCarries {
 public:
  ChainCarries(Scope& s, const PackingPlan& plan, const Chain& chain, const OperandNets& operands,
               const std::vector<Net>& no_term, Net enable)
      : s_(s),
        plan_(plan),
        chain_(chain),
        operands_(operands),
        no_term_(no_term),
        enable_(enable),
        functions_(s, enable) {}

  UInt carry(const CarrySum& sum, const SInt& p) {
    const Lane& lane = plan_.lanes[sum.lane];
    const int last = plan_.slices[chain_.first + chain_.count - 1].cycle;
    const int beside = products_beside_p(sum.width, chain_.count);
    Sum rest{.constant = -(sum.bias * chain_.count + sum.lowest)};
    rest.add({p.slice(static_cast<std::uint32_t>(lane.offset),
                      static_cast<std::uint32_t>(sum.width))});
    if (beside < chain_.count)
      rest.subtract({products(lane, sum.width, chain_.count - beside, last)});
    for (int i = chain_.count - beside; i < chain_.count; ++i)
      rest.subtract(product(lane, sum.width, i, last));
    return registered(rest, sum.width);
  }
  void finish() { functions_.finish(); }

 private:
  // A number of few bits, or the product of two; read modulo a power of two.
  struct Factor {
    UInt bits;
    bool is_signed = false;
    std::int64_t centre = 0;
    std::int64_t value(unsigned raw, std::uint32_t width) const {
      const int bits_read = static_cast<int>(std::min(width, bits.width()));
      const bool whole = width >= bits.width();
      return value_of(raw, {bits_read, is_signed && whole}) - centre;
    }
  };
  struct Term {
    Factor x;
    std::optional<Factor> y = {};
    bool negative = false;
  };
  struct Sum {
    std::vector<Term> terms = {};
    std::int64_t constant = 0;
    void add(Term t) { terms.push_back(std::move(t)); }
    void add(const UInt& word) { add(Term{.x = {word}}); }
    void subtract(Term t) {
      t.negative = true;
      terms.push_back(std::move(t));
    }
    void subtract(const UInt& word) { subtract(Term{.x = {word}}); }
  };

  // How many of the last products fit into the LUTs that read P. One bit: one or two, whether the
  // others are there or not. Two bits: a single one.
  static int products_beside_p(int width, int count) {
    if (width == 1) return std::min(count, 2);
    return width == 2 && count == 1 ? 1 : 0;
  }

  // A register behind the lowest bits of a sum.
  UInt registered(const Sum& sum, int width) {
    std::vector<Net> out;
    for (std::uint32_t w = 1; w <= static_cast<std::uint32_t>(width); ++w) {
      std::vector<Net> nets;
      const auto take = [&](const Factor& f) {
        const auto n = std::min(w, f.bits.width());
        nets.insert(nets.end(), f.bits.nets().begin(), f.bits.nets().begin() + n);
      };
      for (const Term& t : sum.terms) {
        take(t.x);
        if (t.y) take(*t.y);
      }
      out.push_back(functions_.add(nets, [&](unsigned index) {
        std::int64_t total = sum.constant;
        const auto next = [&](const Factor& f) {
          const auto n = std::min(w, f.bits.width());
          const unsigned raw = index & ((1u << n) - 1);
          index >>= n;
          return f.value(raw, w);
        };
        for (const Term& t : sum.terms) {
          std::int64_t value = next(t.x);
          if (t.y) value *= next(*t.y);
          total += t.negative ? -value : value;
        }
        return (total >> (w - 1) & 1) != 0;
      }));
    }
    return bits(s_, out);
  }

  // The sum of the first products, modulo 2^width, at a time.
  UInt products(const Lane& lane, int width, int count, int time) {
    const int group = width == 1 ? std::min(count, 3) : 1;
    int now = arrival_of(group - 1);
    Sum first;
    for (int i = 0; i < group; ++i) first.add(product(lane, width, i, now));
    UInt all = registered(first, width);
    ++now;
    // A product of three bits is a clock of its own.
    const bool ahead = width == max_carry_bits;
    if (ahead && group < count) all = waiting(all, 1), ++now;
    for (int i = group; i < count; ++i, ++now) {
      Sum next;
      next.add(all);
      if (ahead) {
        Sum alone;
        alone.add(product(lane, width, i, now - 1));
        next.add(registered(alone, width));
      } else {
        next.add(product(lane, width, i, now));
      }
      all = registered(next, width);
    }
    return waiting(all, time - now);
  }

  int arrival_of(int i) const { return arrival(plan_, plan_.slices[chain_.first + i]); }

  Term product(const Lane& lane, int width, int i, int time) {
    return {.x = factor({Side::Packed, lane.packed}, width, i, time),
            .y = factor({Side::Shared, lane.shared}, width, i, time)};
  }

  Factor factor(OperandRef ref, int width, int i, int time) {
    const bool packed = ref.side == Side::Packed;
    const OperandFormat& format = packed ? plan_.packed : plan_.shared;
    std::vector<Net> nets;
    for (int bit = 0; bit < std::min(width, format.bits); ++bit)
      nets.push_back(operand_bit(ref, i, bit, time - arrival_of(i)));
    return {.bits = bits(s_, nets),
            .is_signed = format.is_signed && width >= format.bits,
            .centre = (packed ? plan_.centres.packed : plan_.centres.shared)[ref.index]};
  }

  // In flip-flops, which the slice leaves over, whatever the delay: a shift register takes a LUT.
  Net operand_bit(OperandRef ref, int i, int bit, int clocks) {
    const std::tuple key{ref.side, ref.index, i, bit};
    auto line = lines_.find(key);
    if (line == lines_.end()) {
      const auto slot = plan_.slices[chain_.first + i].term;
      const Word& word = operands_.at(ref, slot);
      Net net = word[static_cast<std::uint32_t>(bit)];
      // A product that the slice clears adds nothing.
      if (ref.side == Side::Shared && !no_term_.empty() && no_term_[slot] != ir::net_open)
        net = s_.net(net & ~no_term_[slot]);
      line = lines_.emplace(key, DelayLine<Net>(s_, net, enable_)).first;
    }
    Net now = line->second.after(0);
    for (int k = 1; k <= clocks; ++k) now = line->second.after(k);
    return now;
  }

  UInt waiting(UInt word, int clocks) {
    for (int k = 0; k < clocks; ++k) word = reg(s_, word, {.enable = enable_});
    return word;
  }

  Scope& s_;
  const PackingPlan& plan_;
  const Chain& chain_;
  const OperandNets& operands_;
  const std::vector<Net>& no_term_;
  Net enable_;
  RegisteredFunctions functions_;
  std::map<std::tuple<Side, int, int, int>, DelayLine<Net>> lines_;
};

}  // namespace

std::vector<Addend> build_carry_sums(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                                     const std::vector<Net>& no_term,
                                     const std::vector<SInt>& words, Net enable) {
  std::vector<std::vector<Addend>> carries(plan.carry_sums.size());
  for (std::size_t c = 0; c < plan.chains.size() && !carries.empty(); ++c) {
    const Chain& chain = plan.chains[c];
    s.remark(fmt::format("carries of chain {}", c));
    ChainCarries all(s, plan, chain, operands, no_term, enable);
    for (std::size_t k = 0; k < carries.size(); ++k) {
      const CarrySum& sum = plan.carry_sums[k];
      Addend carry = Addend::of(all.carry(sum, words[chain.first + chain.count - 1]));
      carry.range = {0, sum.highest - sum.lowest};
      carries[k].push_back(std::move(carry));
    }
    all.finish();
  }
  std::vector<Addend> sums;
  for (std::size_t k = 0; k < carries.size(); ++k) {
    const CarrySum& sum = plan.carry_sums[k];
    const int levels = sum.cycle - sum.ready - (arith::chain_clocks(sum.bits) - 1);
    s.remark(fmt::format("carries into lane {}", sum.lane));
    sums.push_back(sum.cycle == sum.ready
                       ? carries[k].front()
                       : packing::sum(s, std::move(carries[k]), levels,
                                      static_cast<std::uint32_t>(sum.bits), enable));
    s.named(fmt::format("carries{}", k), UInt(sums.back().bits));
  }
  return sums;
}

}  // namespace kumiki::gen::packing
