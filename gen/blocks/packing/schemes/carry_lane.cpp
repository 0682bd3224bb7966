// SPDX-License-Identifier: Apache-2.0
// A chain looks at bit G-1 of the low lane from time to time. Two slices later W = C adds this bit,
// by wires, to every position from G-1 up to h-1:  u * (2^h - 2^(G-1)).  The bit leaves the low
// lane and enters the carry lane at h. This needs nothing outside the slices and does not break the
// cascade.
//
// Between two looks, the low lane starts below 2^(G-1) and gets c once by W = RND and F products.
// It must be in [0, 2^G) at the next look: F * span <= 2^(G-1). Values in between do not matter,
// because P is one integer. Its fields must hold their values only at a look and at the end. So S8
// x S8 at G = 18 has F = 4, and 258 terms fit into 48 bits: 24 for the high lane, 18 for the low
// one, 6 for the carries.
#include "gen/blocks/packing/schemes/carry_lane.h"

#include <fmt/format.h>

namespace kumiki::gen::packing::carry_lane {
namespace {

bool column_start(const PackingPlan& plan, std::int64_t slice) {
  return slice > 0 && slice % plan.limits.column_height == 0;
}

// The slices at which to look, from `first` on; empty if there is no solution. A look at j uses j+1
// for RND and j+2 for W = C. So neither may start a column, because there Z = C takes the port.
std::vector<int> looks(const PackingPlan& plan, std::int64_t terms, std::int64_t first,
                       std::int64_t period) {
  const auto n = static_cast<std::size_t>(terms);
  std::vector<int> next(n, -1);  // the next look; n: none is needed; -1: no solution from here
  const auto possible = [&](std::int64_t j) {
    return j + 2 <= terms - 1 && !column_start(plan, j + 1) && !column_start(plan, j + 2);
  };
  for (std::int64_t j = terms - 1; j >= first; --j) {
    if (!possible(j)) continue;
    if (terms - 1 - j <= period) {
      next[j] = static_cast<int>(n);
      continue;
    }
    for (std::int64_t k = std::min(j + period, terms - 1); k >= j + 2; --k)
      if (next[k] >= 0) {
        next[j] = static_cast<int>(k);
        break;
      }
  }
  std::vector<int> found;
  for (auto j = static_cast<int>(first); j < static_cast<int>(n); j = next[j]) {
    if (next[j] < 0) return {};
    found.push_back(j);
  }
  return found;
}

// Chooses biases that fit their windows and, if possible, add up to a multiple of 2^(G-1).
bool choose_biases(Schedule& s, const Lane& low, std::int64_t first_products) {
  const auto window = [&](std::int64_t products, Exact above) {
    const Interval sum = low.term * products;
    return Interval{-sum.lo, power_of_two(low.width) - 1 - sum.hi - above};
  };
  const Exact half = power_of_two(low.width - 1);
  const auto count = static_cast<Exact>(s.looks.size());
  const Interval first = window(first_products, 0);
  const Interval later = window(s.period, half - 1);
  if (first.lo > first.hi) return false;
  const Exact middle = half / 2;
  std::vector<Exact> candidates{later.lo};
  if (count > 0 && later.contains(middle)) candidates.insert(candidates.begin(), middle);
  for (const Exact c : candidates) {
    // The smallest R0 of the window that makes R0 + count * c a multiple of 2^(G-1).
    const Exact total = c * count + first.lo;
    const Exact missing = (half - total % half) % half;
    if (first.lo + missing <= first.hi) {
      s.first_bias = first.lo + missing;
      s.period_bias = count > 0 ? c : 0;
      s.rest = 0;
      return true;
    }
  }
  s.first_bias = first.lo;
  s.period_bias = count > 0 ? candidates.front() : 0;
  s.rest = (s.first_bias + s.period_bias * count) % half;
  return true;
}

// Splits the bits above G between the high lane and the carries.
bool split_top(Schedule& s, const PackingPlan& plan, const Interval& high) {
  const Lane& top = plan.lanes.back();
  const Lane& low = plan.lanes.front();
  const auto count = static_cast<Exact>(s.looks.size());
  const Exact moved = (s.first_bias + s.period_bias * count - s.rest) / power_of_two(low.width - 1);
  s.carry_start = -moved;
  const Interval carries = Interval{0, count} - moved;
  // With a bias of 2^(bits-1) the high lane reads as two's complement; the tightest bias may save a
  // bit.
  const int plain = signed_bits(high);
  const int tight = bits_for_count(high.span() + 1);
  for (const int bits : {plain, tight}) {
    s.high_bits = bits;
    s.high_bias = bits == plain ? power_of_two(bits - 1) : -high.lo;
    s.carry_bits = top.width - bits;
    if (s.carry_bits >= 1 && carries.within(signed_range(s.carry_bits))) return true;
  }
  return false;
}

// Candidates for the number of products before the first look: the most that fit, or fewer, which
// leave R0 more room.
std::vector<std::int64_t> first_looks(std::int64_t most) {
  std::vector<std::int64_t> tries;
  for (std::int64_t n = most; n >= 2 && n > most - 8; --n) tries.push_back(n);
  for (const std::int64_t n : {most * 3 / 4, most / 2, most / 4})
    if (n >= 2 && n < tries.back()) tries.push_back(n);
  return tries;
}

}  // namespace

std::int64_t period(const Lane& low) {
  if (low.term.span() == 0) return 65536;
  return static_cast<std::int64_t>(
      std::min<Exact>(65536, power_of_two(low.width - 1) / low.term.span()));
}

std::optional<Schedule> schedule(const PackingPlan& plan, std::int64_t terms,
                                 std::optional<int> fixed) {
  const Lane& low = plan.lanes.front();
  const Interval high = plan.lanes.back().term * terms;
  Schedule s{
      .terms = terms,
      .period = std::min<std::int64_t>(fixed.value_or(static_cast<int>(period(low))), terms)};
  std::optional<Schedule> fallback;
  const std::int64_t most = low.term.span() > 0
                                ? static_cast<std::int64_t>(std::min<Exact>(
                                      terms, (power_of_two(low.width) - 1) / low.term.span()))
                                : terms;
  if (most == terms) {
    s.first_bias = -(low.term * terms).lo;
    const Exact middle = power_of_two(low.width - 1);
    if ((low.term * terms + middle).within(unsigned_range(low.width))) s.first_bias = middle;
    s.high_bits = plan.lanes.back().width;
    if (high.within(signed_range(s.high_bits))) return s;
    return std::nullopt;
  }
  if (s.period < 2) return std::nullopt;
  for (const std::int64_t first : first_looks(most)) {
    s.looks = looks(plan, terms, first - 1, s.period);
    if (s.looks.empty() || !choose_biases(s, low, first) || !split_top(s, plan, high)) continue;
    if (s.rest == 0) return s;
    if (!fallback) fallback = s;
  }
  return fallback;
}

std::int64_t capacity(const PackingPlan& plan, std::int64_t wanted, std::optional<int> fixed) {
  std::int64_t good = 0;
  std::int64_t bad = wanted + 1;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (schedule(plan, middle, fixed) ? good : bad) = middle;
  }
  return good;
}

void apply(Draft& draft, const Schedule& s) {
  PackingPlan& plan = draft.plan;
  Lane& low = plan.lanes[0];
  Lane& high = plan.lanes[1];
  const Interval field = unsigned_range(low.width);
  low.is_signed = false;
  low.bias = s.first_bias;
  if (s.looks.empty()) {
    draft.proof().within(
        fmt::format("low lane after {} terms, R = {}", s.terms, to_string(s.first_bias)),
        low.term * s.terms + s.first_bias, field);
    draft.proof().within(fmt::format("high lane after {} terms", s.terms), high.term * s.terms,
                         signed_range(high.width));
    return;
  }
  const int first = s.looks.front() + 1;
  const Interval below{0, power_of_two(low.width - 1) - 1};
  draft.proof().within(
      fmt::format("low lane at the first look, {} terms, R = {}", first, to_string(s.first_bias)),
      low.term * first + s.first_bias, field);
  draft.proof().within(
      fmt::format("low lane {} terms after a look, c = {}", s.period, to_string(s.period_bias)),
      below + low.term * s.period + s.period_bias, field,
      fmt::format("at most {} terms between looks at G = {}", period(low), plan.guard));
  high.width = s.high_bits;
  high.bias = s.high_bias;
  high.is_signed = false;
  draft.proof().within(
      fmt::format("high lane after {} terms, R = {}", s.terms, to_string(s.high_bias)),
      high.term * s.terms + s.high_bias, unsigned_range(s.high_bits));
  Lane carries{.kind = Lane::Kind::Carries,
               .offset = high.offset + s.high_bits,
               .width = s.carry_bits,
               .term = {0, 1},
               .term_bits = 1,
               .bias = s.carry_start,
               .is_signed = true};
  draft.proof().within(
      fmt::format("carry lane after {} looks from {}", s.looks.size(), to_string(s.carry_start)),
      Interval{0, static_cast<Exact>(s.looks.size())} + s.carry_start, signed_range(s.carry_bits));
  plan.lanes.push_back(carries);
}

int add_chain(Draft& draft, const Schedule& s, std::int64_t first_term, std::int64_t count,
              int start) {
  const PackingPlan& plan = draft.plan;
  const auto skip = static_cast<int>(s.terms - count);
  const int first = static_cast<int>(plan.slices.size()) - skip;  // of the schedule's slice 0
  const auto is_look = [&](int i) { return std::ranges::binary_search(s.looks, i); };
  return draft.add_chain(
      {.first_term = first_term,
       .count = count,
       .start = start + skip,
       .rnd = draft.bias_word(),
       .omitted = skip,
       .change = [&](int i, Slice& slice, SliceKind& kind) {
         if (slice.cascade < 0) return;
         const int here = i + skip;
         if (is_look(here - 2)) {
           kind.name = "relieve";
           kind.load = Opmode::of(Opmode::WC, Opmode::ZPcin, Opmode::M);
           const int at = plan.lanes[0].width - 1;
           kind.c = {kWordBits, {Piece::spread(0, at, plan.lanes.back().offset - at, at)}};
           slice.sources[0] = first + here - 2;
         } else if (is_look(here - 1) && s.period_bias != 0) {
           kind.name = "bias";
           kind.rnd = s.period_bias;
           kind.load = Opmode::of(Opmode::WRnd, Opmode::ZPcin, Opmode::M);
         }
         kind.run = kind.load;
       }});
}

}  // namespace kumiki::gen::packing::carry_lane
