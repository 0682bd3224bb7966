// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gen/arith/chain_parts.h"

namespace kumiki::gen::packing {

int lane_bits(Simd simd) {
  switch (simd) {
    case Simd::One48:
      return kWordBits;
    case Simd::Two24:
      return kWordBits / 2;
    case Simd::Four12:
      return kWordBits / 4;
  }
  return kWordBits;
}

bool Result::wires() const {
  return signals.size() == 1 && signals[0].kind == Signal::Kind::Bits &&
         signals[0].coefficient == 1 && constant == 0;
}

std::int64_t PackingPlan::macs() const {
  std::int64_t multiplied = terms;
  // Terms of weight 0 take no slice and do not count.
  if (scheme == Scheme::WeightAware)
    multiplied =
        std::count_if(slices.begin(), slices.end(), [](const Slice& s) { return s.term >= 0; });
  return multiplied * packed_count * shared_count;
}

bool PackingPlan::lut_free() const {
  const auto plain = [](const Result& r) { return r.wires() && !r.signals[0].flip; };
  return counters.empty() && carry_sums.empty() && rounds == 1 &&
         std::all_of(results.begin(), results.end(), plain);
}

bool less(const Ratio& a, const Ratio& b) { return Exact{a.num} * b.den < Exact{b.num} * a.den; }

Ratio mac_per_slice(const PackingPlan& plan) {
  const std::int64_t macs = plan.macs();
  const std::int64_t spent = static_cast<std::int64_t>(plan.slices.size()) * plan.cycles();
  if (spent == 0) return {macs, 1};
  const std::int64_t common = std::gcd(macs, spent);
  return {macs / common, spent / common};
}

std::int64_t term_of(const PackingPlan& plan, const Slice& slice, std::int64_t round,
                     std::int64_t word) {
  if (slice.term < 0) return -1;
  const std::int64_t in_round = word * plan.terms_per_cycle + slice.term;
  const std::int64_t term = round * plan.terms_per_round + in_round;
  return in_round < plan.terms_per_round && term < plan.terms ? term : -1;
}

bool lacks_a_term(const PackingPlan& plan, const Slice& slice) {
  return term_of(plan, slice, plan.rounds - 1, plan.words - 1) < 0;
}

bool masks_products(const PackingPlan& plan) {
  const auto is_zero = [](std::int64_t c) { return c == 0; };
  return std::ranges::all_of(plan.centres.packed, is_zero) &&
         std::ranges::all_of(plan.centres.shared, is_zero);
}

bool flips_early(const PackingPlan& plan, const Result& result, const Signal& signal) {
  constexpr int carry_block = 8, part = arith::other_part;
  const bool is_added = plan.rounds > 1 || !result.wires();
  return is_added && signal.flip && signal.width <= part && result.bits > carry_block;
}

int counter_cycle(const PackingPlan& plan, const Counter& counter) {
  return plan.slices[counter.slice].cycle + 1;
}

int adder_levels(int words, int single_bits) {
  const int operands = words + std::max(0, single_bits - std::max(0, words - 1));
  return std::max(1, bits_for_count(operands));
}

int time_of_sum(std::multiset<int> times) {
  std::multiset<int> sums;
  for (auto t = times.begin(); t != times.end(); t = times.upper_bound(*t)) {
    const auto count = static_cast<int>(times.count(*t));
    if (count < fewest_together)
      for (int k = 0; k < count; ++k) sums.insert(*t);
    else
      sums.insert(*t + adder_levels(count, 0));
  }
  while (sums.size() > 1) {
    sums.erase(sums.begin());
    const int later = *sums.begin();
    sums.erase(sums.begin());
    sums.insert(later + 1);
  }
  return *sums.begin();
}

int carry_clocks(const PackingPlan& plan, const CarrySum& sum) {
  // A function and a register. Three bits of a single product take two steps, which needs fewer
  // LUTs. If the chains have more terms, all steps but the last come before P.
  return sum.width == max_carry_bits && plan.segment == 1 ? 2 : 1;
}

int operand_sum_bits(const PackingPlan& plan, OperandRef operand) {
  const OperandFormat& format = operand.side == Side::Packed ? plan.packed : plan.shared;
  const auto terms = std::ranges::count_if(plan.slices, [](const Slice& s) { return s.term >= 0; });
  const Interval sum = hull(format.interval() * (Exact{terms} * plan.words), Interval{});
  return format.is_signed ? signed_bits(sum) : std::max(1, bits_for_count(sum.hi + 1));
}

std::string to_string(Separation separation) {
  switch (separation) {
    case Separation::Increment:
      return "increment";
    case Separation::Wires:
      return "wires";
    case Separation::Looks:
      return "looks along the chain";
    case Separation::WrapCounter:
      return "wrap counter";
    case Separation::Canary:
      return "canary";
    case Separation::CarryLane:
      return "carry lane";
  }
  return "?";
}

std::string to_string(Drain drain) {
  switch (drain) {
    case Drain::None:
      return "none";
    case Drain::Lut:
      return "LUT";
    case Drain::One48:
      return "DSP ONE48";
    case Drain::Two24:
      return "DSP TWO24";
    case Drain::Four12:
      return "DSP FOUR12";
  }
  return "?";
}

std::string to_string(Simd simd) {
  switch (simd) {
    case Simd::One48:
      return "ONE48";
    case Simd::Two24:
      return "TWO24";
    case Simd::Four12:
      return "FOUR12";
  }
  return "?";
}

std::string to_string(Opmode opmode) {
  return fmt::format("{:02b}_{:03b}_{:02b}_{:02b}", opmode.w(), opmode.z(), opmode.y(), opmode.x());
}

}  // namespace kumiki::gen::packing
