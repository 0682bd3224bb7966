// SPDX-License-Identifier: Apache-2.0
#include "tests/gen/blocks/packing/evaluate.h"

#include <fmt/format.h>

#include <stdexcept>

#include "gen/hdl/messages.h"
#include "ir/error.h"

namespace kumiki::gen::packing {
namespace {

constexpr std::uint64_t mask(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::int64_t sign_extend(std::uint64_t value, int bits) { return value_of(value, {bits, true}); }

// Four addends and a carry, carries cut at every SIMD lane; CARRYIN enters the lowest lane only.
std::uint64_t add_lanes(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t carry,
                        int width) {
  std::uint64_t sum = 0;
  for (int at = 0; at < kWordBits; at += width) {
    const std::uint64_t lane = (a >> at & mask(width)) + (b >> at & mask(width)) +
                               (c >> at & mask(width)) + (at == 0 ? carry : 0);
    sum |= (lane & mask(width)) << at;
  }
  return sum;
}

}  // namespace

Evaluator::Evaluator(const PackingPlan& plan)
    : plan_(plan),
      p_(plan.slices.size()),
      before_(plan.slices.size()),
      counters_(plan.counters.size()),
      carries_(plan.carry_sums.size()),
      totals_(plan.results.size()) {}

void Evaluator::check(const Operands& operands) const {
  const auto side = [&](const auto& values, const OperandFormat& format, int count,
                        const char* name) {
    if (static_cast<int>(values.size()) != count)
      throw DesignError(code::wrong_count,
                        fmt::format("evaluate: {} {} operands given, the plan has {}",
                                    values.size(), name, count));
    for (int k = 0; k < count; ++k) {
      if (static_cast<std::int64_t>(values[k].size()) != plan_.terms)
        throw DesignError(code::wrong_count,
                          fmt::format("evaluate: {} terms of {} operand {}, the plan has {}",
                                      values[k].size(), name, k, plan_.terms));
      const Interval all = format.interval();
      for (std::int64_t t = 0; t < plan_.terms; ++t) {
        const Interval legal = format.known() ? format.interval(k, t) : all;
        if (!legal.contains(values[k][t]))
          throw DesignError(code::value_does_not_fit,
                            fmt::format("evaluate: {} operand {} of term {} is {}, outside {}",
                                        name, k, t, values[k][t], to_string(legal)));
      }
    }
  };
  side(operands.packed, plan_.packed, plan_.packed_count, "packed");
  side(operands.shared, plan_.shared, plan_.shared_count, "shared");
}

std::int64_t Evaluator::operand(OperandRef ref, std::int64_t term) const {
  if (term < 0) return 0;
  return (ref.side == Side::Packed ? operands_->packed : operands_->shared)[ref.index][term];
}

std::uint64_t Evaluator::wire(const Piece& piece, const Slice* slice, std::int64_t term) const {
  std::uint64_t bits = piece.value;
  if (piece.from == Piece::From::Operand)
    bits = static_cast<std::uint64_t>(operand(piece.operand, term)) >> piece.lsb;
  else if (piece.from == Piece::From::Slice)
    bits = p_[slice->sources[piece.source]] >> piece.lsb;
  if (piece.repeat) bits = (bits & 1) != 0 ? ~std::uint64_t{0} : 0;
  if (piece.invert) bits = ~bits;
  return bits & mask(piece.width);
}

std::uint64_t Evaluator::wire(const Wiring& wiring, const Slice* slice, std::int64_t term) const {
  std::uint64_t word = 0;
  for (const auto& piece : wiring.pieces) word |= wire(piece, slice, term) << piece.at;
  return word & mask(wiring.width);
}

std::uint64_t Evaluator::product(std::int64_t term) const {
  const int wide = plan_.limits.wide_bits;
  std::uint64_t ad = wire(plan_.ports.a, nullptr, term);
  if (plan_.ports.preadder()) ad += wire(plan_.ports.d, nullptr, term);
  const std::int64_t b = sign_extend(wire(plan_.ports.b, nullptr, term), plan_.limits.narrow_bits);
  return static_cast<std::uint64_t>(sign_extend(ad, wide) * b) & mask(kWordBits);
}

std::uint64_t Evaluator::alu(const SliceKind& kind, const Slice& slice, std::uint64_t own,
                             bool load, std::int64_t term) const {
  const Opmode op = load ? kind.load : kind.run;
  const std::uint64_t c = kind.c.used() ? wire(kind.c, &slice, term) : 0;
  const std::uint64_t rnd = static_cast<std::uint64_t>(kind.rnd) & mask(kWordBits);
  const int w_select =
      kind.gated ? (wire(kind.gate, &slice, term) != 0 ? Opmode::WC : Opmode::W0) : op.w();
  const std::uint64_t w[] = {0, own, rnd, c};

  std::uint64_t z = 0;
  switch (op.z()) {
    case Opmode::Z0:
      break;
    case Opmode::ZPcin:
      z = p_.at(slice.cascade);
      break;
    case Opmode::ZP:
      z = own;
      break;
    case Opmode::ZC:
      z = c;
      break;
    default:
      throw std::logic_error("evaluate: a Z that no plan uses");
  }
  std::uint64_t xy = 0;
  std::uint64_t y = 0;
  switch (op.bits & 0b1111) {
    case Opmode::None:
      break;
    case Opmode::M:
      xy = product(term);
      break;
    case Opmode::P:
      xy = own;
      break;
    case Opmode::AB:
      xy = wire(kind.ab, &slice, term);
      break;
    case Opmode::C:
      xy = c;
      break;
    case Opmode::AB_C:
      xy = wire(kind.ab, &slice, term), y = c;
      break;
    default:
      throw std::logic_error("evaluate: an X and Y that no plan uses");
  }
  const std::uint64_t carry = kind.has_carry_in ? wire(kind.carry_in, &slice, term) : 0;
  // W is added after the others, in SIMD with the same lane cuts.
  const int width = lane_bits(kind.simd);
  return add_lanes(add_lanes(z, xy, y, carry, width), w[w_select], 0, 0, width);
}

void Evaluator::step(std::int64_t round, std::int64_t word) {
  for (std::size_t i = 0; i < plan_.slices.size(); ++i) {
    const Slice& slice = plan_.slices[i];
    const SliceKind& kind = plan_.kinds[slice.kind];
    const std::int64_t term = kind.multiplies ? term_of(plan_, slice, round, word) : -1;
    before_[i] = word == 0 ? 0 : p_[i];
    p_[i] = alu(kind, slice, p_[i], word == 0, term);
  }
}

void Evaluator::count(std::int64_t word) {
  for (std::size_t k = 0; k < plan_.counters.size(); ++k) {
    const Counter& counter = plan_.counters[k];
    if (word == 0) counters_[k] = 0;
    const std::uint64_t now = p_[counter.slice] >> counter.lsb & mask(counter.width);
    const std::uint64_t old = before_[counter.slice] >> counter.lsb & mask(counter.width);
    counters_[k] += now < old ? 1 : 0;
    counters_[k] = value_of(static_cast<std::uint64_t>(counters_[k]), {counter.bits, false});
  }
}

// The product that a lane adds to the word; the fabric has only its low bits.
std::uint64_t Evaluator::multiplied(const Lane& lane, std::int64_t term) const {
  const auto x = operand({Side::Packed, lane.packed}, term) - plan_.centres.packed[lane.packed];
  const auto y = operand({Side::Shared, lane.shared}, term) - plan_.centres.shared[lane.shared];
  return static_cast<std::uint64_t>(x * y);
}

void Evaluator::carry(std::int64_t round) {
  for (std::size_t k = 0; k < plan_.carry_sums.size(); ++k) {
    const CarrySum& sum = plan_.carry_sums[k];
    const Lane& lane = plan_.lanes[sum.lane];
    if (!sum.looks.empty()) {
      const Lane& below = plan_.lanes[static_cast<std::size_t>(sum.lane) - 1];
      const auto top = [&](int slice, int added) {
        const std::uint64_t bits =
            slice < 0 ? 0 : p_[slice] >> (below.offset + below.width - sum.width);
        return (bits + static_cast<unsigned>(added)) & mask(sum.width);
      };
      carries_[k] = sum.lowest;
      for (const Look& look : sum.looks)
        carries_[k] += top(look.slice, look.added) < top(look.before, look.added_before) ? 1 : 0;
      continue;
    }
    std::uint64_t total = 0;
    for (const Chain& chain : plan_.chains) {
      auto left = p_[chain.first + chain.count - 1] >> lane.offset;
      left -= static_cast<std::uint64_t>(sum.bias * chain.count + sum.lowest);
      for (int i = 0; i < chain.count; ++i)
        left -= multiplied(lane, term_of(plan_, plan_.slices[chain.first + i], round, 0));
      total += left & mask(sum.width);
    }
    carries_[k] = static_cast<std::int64_t>(total & mask(sum.bits));
  }
}

std::int64_t Evaluator::value(const Signal& signal) const {
  if (signal.kind == Signal::Kind::Counter) return counters_[signal.counter];
  if (signal.kind == Signal::Kind::Carries) return carries_[signal.carries];
  if (signal.kind == Signal::Kind::OperandSum) {
    std::int64_t sum = 0;
    for (std::int64_t t = 0; t < plan_.terms; ++t) sum += operand(signal.operand, t);
    return sum;
  }
  std::uint64_t bits = p_[signal.slice] >> signal.lsb & mask(signal.width);
  if (signal.flip) bits ^= std::uint64_t{1} << (signal.width - 1);
  return signal.is_signed || signal.flip ? sign_extend(bits, signal.width)
                                         : static_cast<std::int64_t>(bits);
}

const Evaluation& Evaluator::run(const Operands& operands) {
  check(operands);
  operands_ = &operands;
  std::fill(totals_.begin(), totals_.end(), 0);
  for (std::int64_t round = 0; round < plan_.rounds; ++round) {
    for (std::int64_t word = 0; word < plan_.words; ++word) {
      step(round, word);
      count(word);
    }
    carry(round);
    for (std::size_t r = 0; r < plan_.results.size(); ++r)
      for (const auto& signal : plan_.results[r].signals)
        if (signal.kind != Signal::Kind::OperandSum)
          totals_[r] += signal.coefficient * value(signal);
  }
  result_.results.clear();
  for (std::size_t r = 0; r < plan_.results.size(); ++r) {
    const Result& result = plan_.results[r];
    std::int64_t total = totals_[r] + static_cast<std::int64_t>(result.constant);
    for (const auto& signal : result.signals)
      if (signal.kind == Signal::Kind::OperandSum) total += signal.coefficient * value(signal);
    const auto bits = static_cast<std::uint64_t>(total);
    std::int64_t out = value_of(bits, result.format());
    out += static_cast<std::int64_t>(result.offset);
    for (const auto& signal : result.left) out += signal.coefficient * value(signal);
    result_.results.push_back(out);
  }
  result_.words.clear();
  for (const auto p : p_) result_.words.push_back(sign_extend(p, kWordBits));
  return result_;
}

Evaluation evaluate(const PackingPlan& plan, const Operands& operands) {
  return Evaluator(plan).run(operands);
}

}  // namespace kumiki::gen::packing
