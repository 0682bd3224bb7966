// SPDX-License-Identifier: Apache-2.0
#include "tests/gen/blocks/packing/check.h"

#include <fmt/format.h>

#include <stdexcept>

namespace kumiki::gen::packing {
namespace {

[[noreturn]] void wrong(const PackingPlan& plan, const std::string& what) {
  throw std::logic_error(fmt::format("plan {}: {}", to_string(plan.scheme), what));
}

// Checks that pieces are inside the port and do not overlap, and that sources are inside a word.
void check_wiring(const PackingPlan& plan, const Wiring& wiring, const std::string& name) {
  std::vector<bool> taken(static_cast<std::size_t>(wiring.width));
  for (const auto& piece : wiring.pieces) {
    if (piece.width < 1 || piece.at < 0 || piece.at + piece.width > wiring.width)
      wrong(plan, fmt::format("{}: {} leaves the port", name, to_string(piece)));
    int limit = kWordBits;
    if (piece.from == Piece::From::Operand)
      limit = piece.operand.side == Side::Packed ? plan.packed.bits : plan.shared.bits;
    if (piece.from != Piece::From::Constant && piece.lsb + (piece.repeat ? 1 : piece.width) > limit)
      wrong(plan, fmt::format("{}: {} leaves its source", name, to_string(piece)));
    for (int bit = piece.at; bit < piece.at + piece.width; ++bit) {
      if (taken[bit]) wrong(plan, fmt::format("{}: two pieces on bit {}", name, bit));
      taken[bit] = true;
    }
  }
}

bool reads(const Wiring& wiring, int source) {
  for (const auto& piece : wiring.pieces)
    if (piece.from == Piece::From::Slice && piece.source == source) return true;
  return false;
}

void check_opmode(const PackingPlan& plan, const SliceKind& kind, Opmode op) {
  const bool product = (op.bits & 0b1111) == Opmode::M;
  if (product != kind.multiplies)
    wrong(plan, kind.name + ": X and Y do not say whether it multiplies");
  const bool c = op.w() == Opmode::WC || op.z() == Opmode::ZC || op.y() == 3 || kind.gated;
  if (c && !kind.c.used()) wrong(plan, kind.name + ": OPMODE reads C, which has no wiring");
  if ((op.w() == Opmode::WC || kind.gated) && op.z() == Opmode::ZC)
    wrong(plan, kind.name + ": C counted twice");
  if (op.x() == 3 && !kind.ab.used())
    wrong(plan, kind.name + ": OPMODE reads A:B, which has no wiring");
  if (op.w() == Opmode::WRnd && kind.rnd == 0) wrong(plan, kind.name + ": W = RND, which is 0");
  if ((op.w() != Opmode::W0 || kind.gated) && !plan.limits.w_multiplexer)
    wrong(plan, kind.name + ": the family has no W multiplexer");
}

void check_kind(const PackingPlan& plan, const SliceKind& kind) {
  check_opmode(plan, kind, kind.load);
  check_opmode(plan, kind, kind.run);
  if (kind.load.w() == Opmode::WP || kind.load.z() == Opmode::ZP || kind.load.x() == 2)
    wrong(plan, kind.name + ": reads the P of the result before");
  if (kind.multiplies && kind.simd != Simd::One48)
    wrong(plan, kind.name + ": SIMD and the multiplier");
  if (kind.c.used() && kind.c.width != kWordBits) wrong(plan, kind.name + ": C is 48 bits");
  if (kind.ab.used() && kind.ab.width != kWordBits) wrong(plan, kind.name + ": A:B is 48 bits");
  check_wiring(plan, kind.c, kind.name + " C");
  check_wiring(plan, kind.ab, kind.name + " A:B");
}

void check_slice(const PackingPlan& plan, int index) {
  const Slice& slice = plan.slices[index];
  const SliceKind& kind = plan.kinds.at(slice.kind);
  const auto name = fmt::format("slice {} ({})", index, kind.name);
  if (kind.multiplies != (slice.term >= 0))
    wrong(plan, name + ": a product without a term, or the reverse");
  const bool pcin = kind.load.z() == Opmode::ZPcin || kind.run.z() == Opmode::ZPcin;
  if (pcin != (slice.cascade >= 0)) wrong(plan, name + ": Z and the cascade disagree");
  if (slice.cascade >= 0) {
    if (slice.cascade >= index) wrong(plan, name + ": cascade from a later slice");
    if (plan.slices[slice.cascade].cycle + 1 != slice.cycle)
      wrong(plan, name + ": PCIN is not one cycle old");
  }
  for (int s = 0; s < 3; ++s) {
    const bool carry = kind.has_carry_in && kind.carry_in.source == s;
    const bool used = reads(kind.c, s) || reads(kind.ab, s) || carry;
    if (used != (slice.sources[s] >= 0)) wrong(plan, name + ": sources and wiring disagree");
    if (!used) continue;
    if (slice.sources[s] >= index) wrong(plan, name + ": source is a later slice");
    // C, A:B and CARRYIN have one register, followed by P.
    if (plan.slices[slice.sources[s]].cycle + 2 != slice.cycle)
      wrong(plan, fmt::format("{}: source {} is not two cycles old", name, s));
  }
  if (kind.multiplies && slice.cycle < plan.multiply_latency)
    wrong(plan, name + ": before its operands");
}

void check_carries(const PackingPlan& plan, const CarrySum& sum) {
  const Lane& lane = plan.lanes.at(sum.lane);
  if (sum.width < 1 || sum.width > max_carry_bits || sum.width > lane.width)
    wrong(plan, "bits of a carry");
  if (plan.words > 1) wrong(plan, "carries of slices that accumulate");
  if (sum.bits < 1 || sum.cycle < sum.ready) wrong(plan, "a sum of carries before its addends");
  if (!sum.looks.empty()) {
    int before = -1;
    for (const Look& look : sum.looks) {
      if (look.before != before || look.slice <= before) wrong(plan, "looks that skip one");
      before = look.slice;
    }
    if (before != plan.chains.at(0).count - 1) wrong(plan, "no look at the end of the chain");
    return;
  }
  for (const Chain& chain : plan.chains) {
    const auto& last = plan.slices.at(chain.first + chain.count - 1);
    if (last.cycle + carry_clocks(plan, sum) != sum.ready)
      wrong(plan, "carries of different times");
    for (int i = 1; i < chain.count; ++i)
      if (plan.slices[chain.first + i].cascade != chain.first + i - 1)
        wrong(plan, "carries of a chain that is broken");
  }
}

void check_result(const PackingPlan& plan, const Result& result) {
  int next = 0;
  int cycle = 0;
  for (const auto& stage : result.stages) {
    if (stage.first != next) wrong(plan, "stages of a result skip an addend");
    next += stage.count;
    if (stage.ready < cycle || stage.cycle < stage.ready) wrong(plan, "stages of a result overlap");
    cycle = stage.cycle;
    for (int k = stage.first; k < next; ++k) {
      const Signal& s = result.signals.at(k);
      if (s.kind == Signal::Kind::Bits && plan.slices.at(s.slice).cycle > stage.ready)
        wrong(plan, "an addend comes after its stage");
      if (s.kind == Signal::Kind::Counter &&
          counter_cycle(plan, plan.counters.at(s.counter)) > stage.ready)
        wrong(plan, "a counter comes after its stage");
      if (s.kind == Signal::Kind::Carries && plan.carry_sums.at(s.carries).cycle > stage.ready)
        wrong(plan, "carries come after their stage");
      if (s.kind == Signal::Kind::Bits && (s.width < 1 || s.lsb + s.width > kWordBits))
        wrong(plan, "an addend leaves its word");
    }
  }
  if (next != static_cast<int>(result.signals.size())) wrong(plan, "an addend belongs to no stage");
  if (result.bits < 1 || result.bits > 63) wrong(plan, "width of a result");
}

}  // namespace

void check(const PackingPlan& plan) {
  check_wiring(plan, plan.ports.a, "A");
  check_wiring(plan, plan.ports.d, "D");
  check_wiring(plan, plan.ports.b, "B");
  for (const auto& kind : plan.kinds) check_kind(plan, kind);
  for (int i = 0; i < static_cast<int>(plan.slices.size()); ++i) check_slice(plan, i);
  for (const auto& sum : plan.carry_sums) check_carries(plan, sum);
  for (const auto& result : plan.results) check_result(plan, result);
  const auto lanes = static_cast<std::size_t>(plan.packed_count) * plan.shared_count;
  if (plan.results.size() != lanes) wrong(plan, "not one result for every pair of operands");
}

}  // namespace kumiki::gen::packing
