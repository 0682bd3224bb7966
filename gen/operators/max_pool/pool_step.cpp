// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/max_pool/pool_step.h"

#include <algorithm>

#include "gen/layers/pipeline/machines/earlier.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::uint32_t bits_of_a_group = 96;  // that the flags of one register feed

struct Larger {
  UInt found, kept;  // kept: x where it restarts
};

// The remaining table of pairs if its last input is 1.
Table with_last_one(Table t) {
  const unsigned half = 1u << --t.inputs;
  const std::uint64_t kept = (std::uint64_t{1} << half) - 1;
  t.bits = (t.bits >> (32 + half) & kept) << 32 | (t.bits >> half & kept);
  return t;
}

// x >= y, or y does not count. A position of the chain decides two digits, as in gen::at_least.
Net is_larger(Scope& s, const UInt& x, const UInt& y, Net counts, bool is_signed) {
  std::vector<Net> same, larger;
  for (std::uint32_t low = 0; low < x.width(); low += 2) {
    const bool top = low + 2 >= x.width(), is_lone = low + 1 == x.width();
    const bool flip = is_signed && top;
    const auto decide = [flip](bool x0, bool y0, bool x1, bool y1, bool use) {
      const bool above = flip ? y1 : x1;
      return pair(use && x0 == y0 && x1 == y1, !use || (x1 != y1 ? above : x0 && !y0));
    };
    Lut6_2 digit{.init = table(decide),
                 .in = {x[low], y[low], x[low + 1 - is_lone], y[low + 1 - is_lone], counts}};
    if (is_lone)
      digit = {.init = table(
                   [&](bool x1, bool y1, bool use) { return decide(false, false, x1, y1, use); }),
               .in = {x[low], y[low], counts}};
    if (counts.is_constant()) {
      // Constant `counts` is the last input of both tables; remove it.
      digit.in.pop_back();
      digit.init = with_last_one(digit.init);
    }
    const Lut6_2::Out decided = digit.add_to(s);
    same.push_back(decided.o6);
    larger.push_back(decided.o5);
  }
  return carry_chain(s, bits(s, same), bits(s, larger), ir::net_one).carry;
}

// The larger of numbers of one bit, for all lanes: an OR, or an AND if they are signed.
UInt larger_bits(Scope& s, const UInt& x, const UInt& y, Net counts, bool is_signed) {
  return lut(
      s, [is_signed](bool a, bool b, bool use) { return use ? (is_signed ? a && b : a || b) : a; },
      x, y, counts);
}

// Numbers of two bits need no chain either.
UInt larger_pair(Scope& s, const UInt& x, const UInt& y, Net counts, bool is_signed) {
  Lut6_2 both{.init = table([is_signed](bool x0, bool x1, bool y0, bool y1, bool use) {
                const int a = x0 + 2 * (x1 != is_signed), b = y0 + 2 * (y1 != is_signed);
                return use && b > a ? pair(y1, y0) : pair(x1, x0);
              }),
              .in = {x[0], x[1], y[0], y[1], counts}};
  if (counts.is_constant()) {
    both.in.pop_back();
    both.init = with_last_one(both.init);
  }
  const Lut6_2::Out larger = both.add_to(s);
  return bits(s, {larger.o5, larger.o6});
}

Larger larger_of(Scope& s, const UInt& x, const UInt& y, Net counts, Net restarts,
                 const arith::Format& format) {
  if (counts == ir::net_zero) return {x, x};
  if (format.bits <= 2) {
    const UInt found =
        (format.bits == 1 ? larger_bits : larger_pair)(s, x, y, counts, format.is_signed);
    return {found, restarts == ir::net_zero ? found : s.word(mux(restarts, x, found))};
  }
  const Net chosen = is_larger(s, x, y, counts, format.is_signed);
  const UInt found = mux(s, chosen, x, y);
  if (restarts == ir::net_zero) return {found, found};
  return {found, lut(
                     s, [](bool c, bool r, bool one, bool zero) { return c || r ? one : zero; },
                     chosen, restarts, x, y)};
}

// The numbers that share the registers of the flags.
struct Group {
  std::uint32_t low, width;
};
std::vector<Group> groups_of(const Stream& stream) {
  const auto lane = static_cast<std::uint32_t>(stream.format.bits);
  const auto all = static_cast<std::uint32_t>(stream.bits());
  const std::uint32_t most = std::max(1u, bits_of_a_group / lane) * lane;
  std::vector<Group> groups;
  for (std::uint32_t low = 0; low < all; low += most)
    groups.push_back({low, std::min(most, all - low)});
  return groups;
}

Larger larger_lanes(Scope& s, const Stream& stream, const UInt& x, const UInt& y, Net counts,
                    Net restarts) {
  const auto lane = static_cast<std::uint32_t>(stream.format.bits);
  if (lane == 1) return larger_of(s, x, y, counts, restarts, stream.format);
  std::vector<Word> found, kept;
  for (std::uint32_t low = x.width(); low > 0; low -= lane) {
    const Larger one = larger_of(s, x.slice(low - lane, lane), y.slice(low - lane, lane), counts,
                                 restarts, stream.format);
    found.push_back(one.found);
    kept.push_back(one.kept);
  }
  return {cat(s, found), cat(s, kept)};
}

}  // namespace

std::int64_t pool_step_clocks(std::int64_t beats) { return Earlier::clocks(beats) + 1; }

PoolClock build_pool_step(Scope& s, const Stream& stream, PoolStepNets& step, const PoolClock& now,
                          Net reset) {
  if (step.beats == 0)
    return {.valid = reg(s, now.valid & step.passes.after(now.late), {.reset = reset}),
            .word = reg(s, now.word),
            .late = now.late + 1};
  Earlier earlier(s, step.beats, now.word.width(), step.keeps_found, now.valid, reset);
  Net valid = now.valid;
  UInt x = now.word;
  const int late = now.late + Earlier::clocks(step.beats);
  for (int i = now.late; i < late; ++i) {
    valid = reg(s, valid, {.reset = reset});
    x = reg(s, x);
  }
  std::vector<Word> found, kept;
  for (const Group& g : groups_of(stream)) {
    const Net counts = step.looks_back.copy(s, late);
    const Net restarts = step.restarts.copy(s, late);
    const Larger larger = larger_lanes(s, stream, x.slice(g.low, g.width),
                                       earlier.word().slice(g.low, g.width), counts, restarts);
    found.insert(found.begin(), reg(s, larger.found));
    if (!earlier.is_memory())
      kept.insert(kept.begin(), larger.kept);
    else
      kept.insert(kept.begin(), restarts == ir::net_zero ? found[0] : Word(reg(s, larger.kept)));
  }
  earlier.keep(step.keeps_found ? cat(s, kept) : now.word);
  return {.valid = reg(s, valid & step.passes.after(late), {.reset = reset}),
          .word = cat(s, found),
          .late = late + 1};
}

}  // namespace kumiki::gen::pipeline
