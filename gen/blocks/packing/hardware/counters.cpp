// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/counters.h"

#include <fmt/format.h>

#include <functional>

#include "gen/hdl/cells.h"
#include "ir/error.h"

namespace kumiki::gen::packing {
namespace {

// `width` functions of the same few bits. Bits and result are both read as numbers.
UInt function(Scope& s, const std::vector<Net>& in, int width,
              const std::function<std::uint64_t(unsigned)>& value) {
  std::vector<Net> out;
  for (int bit = 0; bit < width; ++bit) {
    Table t{.inputs = static_cast<unsigned>(in.size())};
    for (unsigned i = 0; i < 1u << in.size(); ++i) t.bits |= (value(i) >> bit & 1) << i;
    out.push_back(Lut{.init = t, .in = in}.add_to(s));
  }
  return bits(s, out);
}

std::vector<Net> nets_of(std::initializer_list<UInt> words) {
  std::vector<Net> all;
  for (const UInt& w : words) all.insert(all.end(), w.nets().begin(), w.nets().end());
  return all;
}

UInt watched(const Counter& c, const SInt& p) {
  return p.slice(static_cast<std::uint32_t>(c.lsb), static_cast<std::uint32_t>(c.width));
}

// The lane moves upwards only, so its top bits become smaller exactly when it wraps round. In the
// first cycle the P before counts as 0, and nothing is smaller.
Word wrap_counter(Scope& s, const Counter& c, const SInt& p, Net first, Net enable) {
  const UInt now = watched(c, p);
  const UInt before = reg(s, now, {.enable = enable});
  const auto width = static_cast<std::uint32_t>(c.width);
  const Net fell = function(s, nets_of({now, before}), 1, [&](unsigned v) {
    return (v & ((1u << width) - 1)) < v >> width ? 1 : 0;
  })[0];
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

// now - before - (what the product and the bias add to these bits) is the carry from below, less
// its lowest value. The number to subtract is computed a clock earlier and waits in a register.
Word canary_counter(Scope& s, const PackingPlan& plan, const Counter& c,
                    const OperandNets& operands, const std::vector<Net>& no_term, const SInt& p,
                    DelayLine<Net>& first, Net enable) {
  const Slice& slice = plan.slices[c.slice];
  const auto v = static_cast<std::uint32_t>(c.width);
  const auto low_bits = [&](OperandRef ref) {
    const UInt raw(operands.at(ref, slice.term));
    const auto have = std::min(v, raw.width());
    return delay(s, raw.slice(0, have), static_cast<std::uint32_t>(plan.multiply_latency - 1),
                 enable);
  };
  const OperandRef packed{Side::Packed, c.packed}, shared{Side::Shared, c.shared};
  const UInt x = low_bits(packed);
  UInt y = low_bits(shared);
  // A product that the slice clears adds nothing to these bits.
  if (!no_term.empty() && no_term[slice.term] != ir::net_open)
    y = s.word(y & ~delay(s, no_term[slice.term],
                          static_cast<std::uint32_t>(plan.multiply_latency - 1), enable));
  // An operand narrower than the canary is extended by its sign.
  const auto read = [&](unsigned raw, const UInt& word, bool is_signed) {
    auto value = static_cast<std::int64_t>(raw & ((1u << word.width()) - 1));
    if (is_signed && word.width() < v && value >> (word.width() - 1) != 0)
      value -= std::int64_t{1} << word.width();
    return value;
  };
  if (v > 3) throw DesignError(Code::out_of_range, "a canary of more than 3 bits is not built");
  const UInt explained = function(s, nets_of({x, y}), static_cast<int>(v), [&](unsigned index) {
    const auto a = read(index, x, plan.packed.is_signed) - plan.centres.packed[c.packed];
    const auto b =
        read(index >> x.width(), y, plan.shared.is_signed) - plan.centres.shared[c.shared];
    return static_cast<std::uint64_t>(a * b + c.bias + c.lowest);
  });
  // In the first cycle there is no P before: the product alone is expected.
  const UInt now = watched(c, p);
  const Net restart = first.after(slice.cycle - 1);
  const bool fits = 2 * v + 1 <= 6;
  std::vector<Net> terms = nets_of({fits ? now : s.word(now & ~restart), explained});
  if (fits) terms.push_back(restart);
  const auto expected = function(s, terms, static_cast<int>(v), [&](unsigned i) {
    const bool alone = i >> (2 * v) != 0;
    return (alone ? 0 : i) + (i >> v);
  });
  const UInt waiting = reg(s, expected, {.enable = enable});

  const auto width = static_cast<std::uint32_t>(c.bits);
  const auto own = static_cast<int>(std::min(width, c.lowest < 0 ? v + 1 : v));
  const UInt carry = function(s, nets_of({now, waiting}), own, [&](unsigned i) {
    return ((i - (i >> v)) & ((1u << v) - 1)) + static_cast<std::uint64_t>(c.lowest);
  });
  const UInt counted = reg(s, carry, {.enable = enable});
  const UInt step = c.lowest < 0 ? UInt(sext(s, SInt(counted), width)) : zext(s, counted, width);
  Reg<UInt> count(s, width, {.enable = enable});
  const UInt propagate = lut_o6(
      s, [](bool q, bool h, bool f) { return (q && !f) != h; }, SourceLocation::current(),
      count.q(), step, first.after(slice.cycle + 1));
  count.next(carry_chain(s, propagate, step, ir::net_zero).sum);
  return count.q();
}

}  // namespace

std::vector<Word> build_counters(Scope& s, const PackingPlan& plan, const OperandNets& operands,
                                 const std::vector<Net>& no_term, const std::vector<SInt>& words,
                                 DelayLine<Net>& first, Net enable) {
  std::vector<Word> values;
  for (const Counter& c : plan.counters) {
    const Slice& slice = plan.slices[c.slice];
    values.push_back(
        c.kind == Counter::Kind::Wrap
            ? wrap_counter(s, c, words[c.slice], first.after(slice.cycle), enable)
            : canary_counter(s, plan, c, operands, no_term, words[c.slice], first, enable));
    s.named(fmt::format("count{}", values.size() - 1), UInt(values.back()));
  }
  return values;
}

}  // namespace kumiki::gen::packing
