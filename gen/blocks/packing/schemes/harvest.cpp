// SPDX-License-Identifier: Apache-2.0
// T5 of docs/decisions/packing-theorems.md: a segment's word re-enters the next segment through C
// without the top bits of its lower lanes. These bits are harvested and summed. If k bits of a lane
// are kept, N terms fit as long as 2^k - 1 + N * span <= 2^G - 1. The bias c comes from RND in
// every first slice; the lane's sum is 2^k * (sum of harvests) + last field - c * segments.
//
// Few terms a segment leave few bits to harvest: S8 x S8 at G = 18 gives 1 bit for 4 terms, 2 for
// 6, 3 for 7.
#include <fmt/format.h>

#include "gen/arith/chain_parts.h"
#include "gen/blocks/packing/schemes/draft.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing::schemes {
namespace {

// Bits of a lane that may stay when `terms` more terms follow; negative when the terms do not fit
// even with no bit left.
int kept_bits(const Lane& lane, std::int64_t terms) {
  const Exact room = power_of_two(lane.width) - lane.term.span() * terms;  // 2^k <= room
  int k = -1;
  while (k + 1 < lane.width && power_of_two(k + 1) <= room) ++k;
  return k;
}

struct Reaping {
  std::vector<int> kept;   // of every lower lane
  std::int64_t block = 1;  // segments until the top lane is full and the word starts afresh
};

Reaping reap(Draft& draft, std::int64_t segments) {
  PackingPlan& plan = draft.plan;
  Reaping reaping;
  for (auto& lane : plan.lanes) {
    const Interval sum = lane.term * plan.segment;
    if (&lane == &plan.lanes.back()) {
      Exact most = segments;
      if (sum.hi > 0) most = std::min(most, (power_of_two(lane.width - 1) - 1) / sum.hi);
      if (sum.lo < 0) most = std::min(most, power_of_two(lane.width - 1) / -sum.lo);
      reaping.block = std::max<std::int64_t>(1, static_cast<std::int64_t>(most));
      draft.proof().within(fmt::format("lane at {} after {} segments", lane.offset, reaping.block),
                           sum * reaping.block, signed_range(lane.width));
      continue;
    }
    // A single segment keeps nothing back and is plain offset-binary.
    const int kept = segments == 1 ? 0 : kept_bits(lane, plan.segment);
    const Interval entry{0, power_of_two(std::max(0, kept)) - 1};
    const Exact middle = power_of_two(lane.width - 1);
    lane.is_signed = false;
    lane.bias = (entry + sum + middle).within(unsigned_range(lane.width)) ? middle : -sum.lo;
    draft.proof().within(
        fmt::format("lane at {}, {} bits kept, {} terms, R = {}", lane.offset, std::max(0, kept),
                    plan.segment, to_string(lane.bias)),
        entry + sum + lane.bias, unsigned_range(lane.width),
        at_most(offset_limit(plan.lanes), fmt::format("a segment at G = {}", plan.guard)));
    reaping.kept.push_back(std::max(0, kept));
  }
  return reaping;
}

Wiring re_entry(const PackingPlan& plan, const Reaping& reaping) {
  Wiring c{kWordBits, {}};
  for (std::size_t l = 0; l < reaping.kept.size(); ++l)
    if (reaping.kept[l] > 0)
      c.pieces.push_back(
          Piece::bits(0, plan.lanes[l].offset, reaping.kept[l], plan.lanes[l].offset));
  const Lane& top = plan.lanes.back();
  c.pieces.push_back(Piece::bits(0, top.offset, top.width, top.offset));
  return c;
}

// Harvests of this many segments are collected in one shift register LUT, then added to the running
// total.
constexpr int kShiftRegister = 32;

// Words that single bits make, when each adder of two of these, or of one and a total at their
// place, takes another bit as its carry.
int ride_on_each_other(int bits, bool has_total) {
  return bits == 0 ? 0 : (bits + (has_total ? 1 : 2)) / 2;
}

void stage(Draft& draft, Result& result, std::int64_t group) {
  const int count = static_cast<int>(result.signals.size());
  int cycle = 0;
  for (int first = 0; first < count; first += static_cast<int>(group)) {
    Stage s{
        .first = first, .count = std::min(static_cast<int>(group), count - first), .ready = cycle};
    // The last addends (the last field, operand sums, the constant) never get a stage of their own.
    if (count - first - s.count < 2) s.count = count - first;
    const bool last = first + s.count == count;
    int words = first > 0 ? 1 : 0;
    int bits = 0, operand_sums = 0;
    for (int k = first; k < first + s.count; ++k) {
      const Signal& signal = result.signals[k];
      s.ready = std::max(s.ready, draft.signal_cycle(result, signal));
      ++(signal.kind == Signal::Kind::Bits && signal.width == 1 ? bits : words);
      operand_sums += signal.kind == Signal::Kind::OperandSum;
    }
    if (last && result.constant != 0) ++words;
    int levels = adder_levels(words, bits);
    // A bit rides on an adder of words at its own place. The field and operand sums stand lower:
    // where there is no total yet, or too little beside such a sum, only bits carry other bits.
    if (last && (first == 0 || operand_sums > 0))
      levels = std::max(levels, adder_levels(words + ride_on_each_other(bits, first > 0), 0));
    cycle = s.cycle =
        s.ready + (result.wires() ? 0 : levels + arith::chain_clocks(result.bits) - 1);
    result.stages.push_back(s);
    if (last) break;
  }
}

}  // namespace

std::vector<Request> harvest_variants(const Request& request) {
  std::vector<Request> all;
  for (const Request& one : centred(request)) {
    if (request.tuning.segment ||
        !rows_fit(one, one.tuning.packed_count.value_or(2), one.tuning.shared_count.value_or(1))) {
      all.push_back(one);
      continue;
    }
    Draft probe(one, Scheme::Harvest);
    probe.lay_out(grid_of(one, 2, 1));
    const std::int64_t limit = std::min<std::int64_t>(offset_limit(probe.plan.lanes), one.terms);
    // Of all segments with the same bits to harvest only the longest is worth trying.
    int before = -1;
    for (std::int64_t n = std::max<std::int64_t>(1, limit); n >= 1; --n) {
      const int kept = kept_bits(probe.plan.lanes.front(), n);
      if (kept == before) continue;
      before = kept;
      all.push_back(one);
      all.back().tuning.segment = static_cast<int>(n);
      if (n == one.terms || kept >= probe.plan.lanes.front().width - 1) break;
    }
  }
  // No segment keeps bits to harvest: the draft says why.
  return all.empty() ? std::vector<Request>{request} : all;
}

PackingPlan harvest(const Request& request) {
  Draft draft(request, Scheme::Harvest);
  PackingPlan& plan = draft.plan;
  if (request.cycles.value_or(1) != 1)
    draft.refuse(Code::scheme_does_not_apply, "cycles of a result",
                 Interval::point(*request.cycles), Interval::point(1),
                 "1; wrap-counter and shared-drain fold terms in time");
  draft.lay_out(grid_of(request, 2, 1));
  const std::int64_t limit = std::max<std::int64_t>(1, offset_limit(plan.lanes));
  plan.segment =
      std::min<std::int64_t>(request.tuning.segment.value_or(static_cast<int>(limit)), plan.terms);
  plan.segments = ceil_div(plan.terms, plan.segment);
  plan.separation = Separation::Harvest;
  const Reaping reaping = reap(draft, plan.segments);
  plan.drain = plan.segments > 1 ? Drain::Lut : Drain::None;

  std::vector<std::vector<Signal>> signals(plan.lanes.size());
  std::vector<Exact> constants(plan.lanes.size(), 0);
  int last = -1;
  for (std::int64_t k = 0; k < plan.segments; ++k) {
    const std::int64_t first = k * plan.segment;
    const bool fresh = k % reaping.block == 0;
    const bool ends = (k + 1) % reaping.block == 0 || k + 1 == plan.segments;
    ChainSpec spec{.first_term = first,
                   .count = std::min(plan.segment, plan.terms - first),
                   .rnd = draft.bias_word()};
    if (last >= 0) spec.start = draft.cycle(last) + 2 - plan.multiply_latency;
    if (!fresh) {
      spec.entry = re_entry(plan, reaping);
      spec.entry_sources[0] = last;
    }
    last = draft.add_chain(spec);
    for (std::size_t l = 0; l < plan.lanes.size(); ++l) {
      const Lane& lane = plan.lanes[l];
      const bool top = l + 1 == plan.lanes.size();
      if (ends) {
        const Interval sum = lane.term * (plan.segment * std::min(reaping.block, plan.segments));
        signals[l].push_back(draft.field(last, lane, sum));
        constants[l] += draft.field_constant(lane);
      } else if (!top) {
        const int kept = reaping.kept[l];
        signals[l].push_back({.coefficient = std::int64_t{1} << kept,
                              .slice = last,
                              .lsb = lane.offset + kept,
                              .width = lane.width - kept});
        constants[l] -= lane.bias;
      }
    }
  }
  const std::int64_t group = 1 + kShiftRegister / (plan.segment + 1);
  for (std::size_t l = 0; l < plan.lanes.size(); ++l)
    stage(draft, draft.add_result(plan.lanes[l], signals[l], constants[l]), group);
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
