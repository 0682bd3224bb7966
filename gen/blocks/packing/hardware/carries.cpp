// SPDX-License-Identifier: Apache-2.0
// The carry into a lane is the lowest bits of its field minus the products below it: P - x*y - .. -
// x*y, modulo the number of its possible values. LUTs that read P take as many products as fit, one
// LUT a bit. The other products are added beforehand, one a clock as the operands arrive, and the
// sum waits for P.
#include "gen/blocks/packing/hardware/carries.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "gen/blocks/packing/hardware/looks.h"
#include "gen/blocks/packing/hardware/registered_functions.h"
#include "gen/hdl/delay_line.h"
#include "ir/resources.h"

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
    const std::int64_t known = sum.bias * chain_.count + sum.lowest;
    const UInt field =
        p.slice(static_cast<std::uint32_t>(lane.offset), static_cast<std::uint32_t>(sum.width));
    if (carry_clocks(plan_, sum) == 2) {
      Running rest{field.slice(0, 2), field[2], last};
      rest = stepped(rest, product(lane, sum.width, 0, last), known, true);
      return cat(s_, {bits(s_, {rest.top}), waiting(rest.low, 1)});
    }
    const int beside = products_beside_p(sum.width, chain_.count);
    Sum rest{.constant = -known};
    rest.add({field});
    if (beside < chain_.count) {
      const int before = chain_.count - beside;
      rest.subtract({sum.width == max_carry_bits ? wide_products(lane, last)
                                                 : products(lane, sum.width, before, last)});
    }
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
    void add(const Term& t) { terms.push_back(t); }
    void add(const UInt& word) { add(Term{.x = {word}}); }
    void subtract(Term t) {
      t.negative = true;
      terms.push_back(t);
    }
    void subtract(const UInt& word) { subtract(Term{.x = {word}}); }
  };

  // How many of the last products fit into the LUTs that read P. For one bit: one or two, whether
  // or not there are others. For two bits: a single product, if it is the only one.
  static int products_beside_p(int width, int count) {
    if (width == 1) return std::min(count, 2);
    return width == 2 && count == 1 ? 1 : 0;
  }

  // A register behind the lowest bits of a sum.
  UInt registered(const Sum& sum, int width) {
    std::vector<Net> out;
    for (int bit = 0; bit < width; ++bit) out.push_back(registered_bit(sum, bit));
    return bits(s_, out);
  }

  Net registered_bit(const Sum& sum, int bit) {
    const auto width = static_cast<std::uint32_t>(bit + 1);
    std::vector<Net> nets;
    const auto take = [&](const Factor& f) {
      const auto n = std::min(width, f.bits.width());
      nets.insert(nets.end(), f.bits.nets().begin(), f.bits.nets().begin() + n);
    };
    for (const Term& t : sum.terms) {
      take(t.x);
      if (t.y) take(*t.y);
    }
    return functions_.add(nets, [&](unsigned index) {
      const auto next = [&](const Factor& f) {
        const auto n = std::min(width, f.bits.width());
        const unsigned raw = index & ((1u << n) - 1);
        index >>= n;
        return f.value(raw, width);
      };
      std::int64_t total = sum.constant;
      for (const Term& t : sum.terms) {
        std::int64_t value = next(t.x);
        if (t.y) value *= next(*t.y);
        total += t.negative ? -value : value;
      }
      return (total >> bit & 1) != 0;
    });
  }

  // The sum of the first products, modulo 2^width for a width of 1 or 2, valid at `time`.
  UInt products(const Lane& lane, int width, int count, int time) {
    const int group = width == 1 ? std::min(count, 3) : 1;
    int now = arrival_of(group - 1);
    Sum sum;
    for (int i = 0; i < group; ++i) sum.add(product(lane, width, i, now));
    UInt all = registered(sum, width);
    ++now;
    for (int i = group; i < count; ++i, ++now) {
      Sum next;
      next.add(all);
      next.add(product(lane, width, i, now));
      all = registered(next, width);
    }
    return waiting(all, time - now);
  }

  // Three bits. The top bit would be a function of nine inputs. It comes a clock later; then the
  // two bits below, before and after the step, show what they carried.
  struct Running {
    UInt low;
    Net top;
    int time;  // of the two low bits
  };
  Running stepped(const Running& now, const Term& product, std::int64_t constant, bool subtract) {
    Sum low, alone{.constant = constant};
    low.add(now.low);
    low.constant = subtract ? -constant : constant;
    subtract ? low.subtract(product) : low.add(product);
    alone.add(product);
    const UInt made = registered(low, 2);
    const Net more = registered_bit(alone, 2);
    const UInt before = waiting(now.low, 1);
    const Net top = subtract ? waiting(bits(s_, {now.top}), 1)[0] : now.top;
    const Net next =
        functions_.add({before[0], before[1], made[0], made[1], top, more}, [&](unsigned index) {
          const unsigned old = index & 3, low = index >> 2 & 3;
          const bool carried = subtract ? low > old : low < old;
          return ((index >> 4 & 1) ^ (index >> 5 & 1) ^ unsigned{carried}) != 0;
        });
    return {made, next, now.time + 1};
  }

  // The sum of all products modulo 8, valid at `time`.
  UInt wide_products(const Lane& lane, int time) {
    constexpr int width = max_carry_bits;
    Sum first;
    first.add(product(lane, width, 0, arrival_of(0)));
    const UInt whole = registered(first, width);
    Running all{whole.slice(0, 2), waiting(whole, 1)[2], arrival_of(0) + 1};
    for (int i = 1; i < chain_.count; ++i)
      all = stepped(all, product(lane, width, i, all.time), 0, false);
    return cat(
        s_, {waiting(bits(s_, {all.top}), time - all.time - 1), waiting(all.low, time - all.time)});
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

  // Uses the slice's spare flip-flops for any delay; a shift register would take a LUT.
  Net operand_bit(OperandRef ref, int i, int bit, int clocks) {
    const std::tuple key{ref.side, ref.index, i, bit};
    auto line = lines_.find(key);
    if (line == lines_.end()) {
      const auto slot = plan_.slices[chain_.first + i].term;
      const Word& word = operands_.at(ref, slot);
      Net net = word[static_cast<std::uint32_t>(bit)];
      // A product that the slice clears must add nothing.
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
  if (plan.separation == Separation::Looks) {
    std::vector<Addend> counted;
    for (const CarrySum& sum : plan.carry_sums) {
      counted.push_back(build_looks(s, plan, sum, words, enable));
      s.named(fmt::format("carries{}", counted.size() - 1), UInt(counted.back().bits));
    }
    return counted;
  }
  std::vector<std::vector<Addend>> carries(plan.carry_sums.size());
  for (std::size_t c = 0; c < plan.chains.size() && !carries.empty(); ++c) {
    const Chain& chain = plan.chains[c];
    s.remark(fmt::format("carries of chain {}", c));
    ChainCarries all(s, plan, chain, operands, no_term, enable);
    for (std::size_t k = 0; k < carries.size(); ++k) {
      const CarrySum& sum = plan.carry_sums[k];
      Addend carry = Addend::of(all.carry(sum, words[chain.first + chain.count - 1]));
      carry.range = {0, sum.highest - sum.lowest};
      carries[k].push_back(carry);
    }
    all.finish();
  }
  std::vector<Addend> sums;
  for (std::size_t k = 0; k < carries.size(); ++k) {
    const CarrySum& sum = plan.carry_sums[k];
    const int levels = sum.cycle - sum.ready - (arith::chain_clocks(sum.bits) - 1);
    s.remark(fmt::format("carries into lane {}", sum.lane));
    const auto width = static_cast<std::uint32_t>(sum.bits);
    sums.push_back(sum.cycle == sum.ready
                       ? carries[k].front()
                       : packing::sum(s, carries[k], plan_sum(carries[k], levels, width), enable));
    s.named(fmt::format("carries{}", k), UInt(sums.back().bits));
  }
  return sums;
}

unsigned sites_of_carries(const PackingPlan& plan, const Chain& chain) {
  Builder scratch;
  Scope s(scratch, scratch.design().add_module("carries"));
  OperandNets operands;
  std::vector<Net> no_term(static_cast<std::size_t>(plan.terms_per_cycle), ir::net_open);
  const auto fill = [&](const OperandFormat& format, int count, const char* name, auto& rows) {
    rows.assign(static_cast<std::size_t>(count), std::vector<Word>(no_term.size()));
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < chain.count; ++i) {
        const auto slot = plan.slices[chain.first + i].term;
        rows[k][slot] = s.input<UInt>(fmt::format("{}{}_{}", name, k, i),
                                      static_cast<std::uint32_t>(format.bits));
        if (format.known())
          rows[k][slot] = s.constant(raw_of(format.values[k][slot], format.bits),
                                     static_cast<std::uint32_t>(format.bits));
      }
  };
  fill(plan.packed, plan.packed_count, "x", operands.packed);
  fill(plan.shared, plan.shared_count, "y", operands.shared);
  if (masks_products(plan))
    for (int i = 0; i < chain.count; ++i)
      if (const Slice& slice = plan.slices[chain.first + i]; lacks_a_term(plan, slice))
        no_term[slice.term] = s.input<UInt>(fmt::format("none{}", i), 1)[0];
  const SInt p(s.input<UInt>("p", kWordBits));
  ChainCarries all(s, plan, chain, operands, no_term, ir::net_one);
  for (const CarrySum& sum : plan.carry_sums) (void)all.carry(sum, p);
  all.finish();
  return ir::own_cost(s.module()).luts;
}

}  // namespace kumiki::gen::packing
