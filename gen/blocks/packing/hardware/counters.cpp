// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/counters.h"

#include <fmt/format.h>

#include "gen/hdl/cells.h"

namespace kumiki::gen::packing {
namespace {

UInt watched(const Counter& c, const SInt& p) {
  return p.slice(static_cast<std::uint32_t>(c.lsb), static_cast<std::uint32_t>(c.width));
}

// The lane moves upwards only, so its top bits become smaller exactly when it wraps round. In the
// first cycle the previous P counts as 0, and nothing is smaller.
Word wrap_counter(Scope& s, const Counter& c, const SInt& p, Net first, Net enable) {
  const UInt now = watched(c, p);
  const UInt before = reg(s, now, {.enable = enable});
  const auto width = static_cast<std::uint32_t>(c.width);
  Table less{.inputs = 2 * width};
  for (unsigned v = 0; v < 1u << less.inputs; ++v)
    less.bits |= std::uint64_t{(v & ((1u << width) - 1)) < v >> width} << v;
  std::vector<Net> in(now.nets().begin(), now.nets().end());
  in.insert(in.end(), before.nets().begin(), before.nets().end());
  const Net fell = Lut{.init = less, .in = in}.add_to(s);
  // The chain's lowest position stops the carry in the first cycle; the others hold the count.
  const auto bits_of_count = static_cast<std::uint32_t>(c.bits);
  Reg<UInt> count(s, bits_of_count, {.enable = enable});
  const UInt held = lut_o6(
      s, [](bool q, bool f) { return q && !f; }, SourceLocation::current(), count.q(), first);
  const UInt propagate = cat(s, {held, bits(s, {lut(
                                                   s, [](bool f) { return !f; }, first)})});
  const auto chain = carry_chain(s, propagate, s.constant(0, bits_of_count + 1), fell);
  count.next(UInt(chain.sum.slice(1, bits_of_count)));
  return count.q();
}

}  // namespace

std::vector<Word> build_counters(Scope& s, const PackingPlan& plan, const std::vector<SInt>& words,
                                 DelayLine<Net>& first, Net enable) {
  std::vector<Word> values;
  for (const Counter& c : plan.counters) {
    const Net restart = first.after(plan.slices[c.slice].cycle);
    values.push_back(wrap_counter(s, c, words[c.slice], restart, enable));
    s.named(fmt::format("count{}", values.size() - 1), UInt(values.back()));
  }
  return values;
}

}  // namespace kumiki::gen::packing
