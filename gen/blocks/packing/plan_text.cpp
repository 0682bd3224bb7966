// SPDX-License-Identifier: Apache-2.0
// A plan as text: everything that a reader or a golden test needs, always identical to the byte.
#include <fmt/format.h>

#include "gen/blocks/packing/hardware/fabric.h"
#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

std::string name_of(Side side, int index) {
  return fmt::format("{}{}", side == Side::Packed ? "x" : "y", index);
}

std::string describe(const Lane& lane) {
  const auto bits = fmt::format("P[{}:{}]", lane.offset + lane.width - 1, lane.offset);
  if (lane.kind == Lane::Kind::Carries)
    return fmt::format("  {:10} carries of the low lane, from {}\n", bits, to_string(lane.bias));
  std::string text =
      fmt::format("  {:10} sum of {}*{}, a product in {}, {} guard bits", bits,
                  name_of(Side::Packed, lane.packed), name_of(Side::Shared, lane.shared),
                  to_string(lane.term), lane.guard());
  if (!lane.is_signed && lane.bias != 0) text += fmt::format(", R = {}", to_string(lane.bias));
  if (lane.canary > 0) text += fmt::format(", canary {} bits", lane.canary);
  return text + "\n";
}

// Attributes that differ from the defaults.
std::string attributes(const PackingPlan& plan, const SliceKind& kind) {
  std::string text;
  if (kind.multiplies && plan.ports.preadder()) text = ", AMULTSEL AD, BREG 2, BCASCREG 2";
  if (!kind.multiplies) text = ", USE_MULT NONE, MREG 0";
  if (kind.simd != Simd::One48) text += ", USE_SIMD " + to_string(kind.simd);
  if (kind.rnd != 0)
    text +=
        fmt::format(", RND 48'h{:012X}", raw_of(static_cast<std::int64_t>(kind.rnd), kWordBits));
  return text;
}

std::string describe(const PackingPlan& plan, const SliceKind& kind) {
  std::string text = fmt::format("  {:16} OPMODE {}", kind.name, to_string(kind.load));
  if (kind.run != kind.load) text += ", then " + to_string(kind.run);
  if (kind.multiplies) text += fmt::format(", INMODE {:05b}", kind.inmode);
  if (kind.gated)
    text += fmt::format(", W = C when {} is 1, C and OPMODE {} cycle after A", to_string(kind.gate),
                        kind.operand_c_delay);
  text += attributes(plan, kind) + "\n";
  if (kind.c.used()) text += fmt::format("  {:16} C = {}\n", "", to_string(kind.c));
  if (kind.ab.used()) text += fmt::format("  {:16} A:B = {}\n", "", to_string(kind.ab));
  if (kind.has_carry_in)
    text += fmt::format("  {:16} CARRYIN = {}\n", "", to_string(kind.carry_in));
  return text;
}

std::string describe(const Signal& s) {
  std::string text;
  if (s.kind == Signal::Kind::Bits)
    text = fmt::format("{}slice{}.P[{}:{}]{}", s.flip ? "~msb " : "", s.slice, s.lsb + s.width - 1,
                       s.lsb, s.is_signed || s.flip ? "s" : "");
  else if (s.kind == Signal::Kind::Counter)
    text = fmt::format("counter{}", s.counter);
  else if (s.kind == Signal::Kind::Carries)
    text = fmt::format("carries{}", s.carries);
  else
    text = fmt::format("sum({})", name_of(s.operand.side, s.operand.index));
  if (s.coefficient == 1) return text;
  return s.coefficient == -1 ? "-" + text : fmt::format("{}*{}", s.coefficient, text);
}

std::string describe(const Result& r) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> parts;
  for (const auto& signal : r.signals) parts.push_back(describe(signal));
  if (parts.size() > kShown) {
    const auto more = parts.size() - kShown;
    parts.resize(kShown);
    parts.push_back(fmt::format("{} more", more));
  }
  if (r.constant != 0) parts.push_back(to_string(r.constant));
  std::string text = fmt::format("  sum of {}*{} = {}, {} bits, in {}",
                                 name_of(Side::Packed, r.packed), name_of(Side::Shared, r.shared),
                                 joined(parts, " + "), r.bits, to_string(r.range));
  if (r.offset != 0) text += fmt::format("; left to the consumer: {}", to_string(r.offset));
  for (const auto& signal : r.left)
    text +=
        fmt::format("{} {}", r.offset != 0 ? " +" : "; left to the consumer:", describe(signal));
  return text + "\n";
}

}  // namespace

std::string to_text(const PackingPlan& plan) {
  const Ratio ratio = mac_per_slice(plan);
  std::string text = fmt::format("scheme {}\n", to_string(plan.scheme));
  text += fmt::format("operands {} x {} packed, {} x {} shared, {} terms, {}\n", plan.packed_count,
                      to_string(plan.packed), plan.shared_count, to_string(plan.shared), plan.terms,
                      plan.limits.family);
  text += fmt::format(
      "slices {}, MAC {} in {} cycles, {}/{} = {:.3f} MAC per slice and cycle, latency {}\n",
      plan.slices.size(), plan.macs(), plan.cycles(), ratio.num, ratio.den, ratio.value(),
      plan.latency);
  text += fmt::format("G = {}, N = {}, {} segments, {} terms a cycle, {} words, {} rounds\n",
                      plan.guard, plan.segment, plan.segments, plan.terms_per_cycle, plan.words,
                      plan.rounds);
  text += fmt::format("separation {}, drain {}{}\n", to_string(plan.separation),
                      to_string(plan.drain), plan.lut_free() ? ", no LUT" : "");
  const bool pair = plan.packed_count == 2 && plan.shared_count == 1;
  text += pair ? "ports (x1 = a, x0 = d, y0 = b)\n" : "ports (x packed, y shared operands)\n";
  text += fmt::format("  A = {}\n", to_string(plan.ports.a));
  if (plan.ports.preadder()) text += fmt::format("  D = {}\n", to_string(plan.ports.d));
  text += fmt::format("  B = {}\n", to_string(plan.ports.b));
  text += "lanes\n";
  for (auto lane = plan.lanes.rbegin(); lane != plan.lanes.rend(); ++lane) text += describe(*lane);
  text += "kinds of slices\n";
  for (const auto& kind : plan.kinds) text += describe(plan, kind);
  text += "results\n";
  for (const auto& result : plan.results) text += describe(result);
  for (std::size_t k = 0; k < plan.counters.size(); ++k)
    text += fmt::format("counter{}: {} bits\n", k, plan.counters[k].bits);
  for (std::size_t k = 0; k < plan.carry_sums.size(); ++k) {
    const CarrySum& sum = plan.carry_sums[k];
    if (!sum.looks.empty()) {
      text += fmt::format(
          "carries{}: into lane {}, {} looks at {} bits of the lane below, from {} on\n", k,
          sum.lane, sum.looks.size(), sum.width, sum.lowest);
      continue;
    }
    text += fmt::format("carries{}: into lane {}, {} bits and from {} on in each of {} chains\n", k,
                        sum.lane, sum.width, sum.lowest, plan.chains.size());
  }
  text += fmt::format("outside the slices: {} LUT\n", sites_of_fabric(plan));
  text += "certificate\n";
  for (const auto& statement : plan.certificate.statements())
    text += "  " + to_string(statement) + "\n";
  return text;
}

}  // namespace kumiki::gen::packing
