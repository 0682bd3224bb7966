// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/pixel/chain.h"

#include "gen/layers/vision/pixel/fit.h"

namespace kumiki::gen::vision {

UInt chained(Scope& s, ChainInputs in, Net carry, Net enable, const ChainPart& part) {
  std::vector<Word> sum;  // the highest part first
  for (std::uint32_t left = in.words.front().width();;) {
    const bool more = left > arith::last_part;
    const std::uint32_t n = more ? arith::other_part : left;
    ChainInputs now{in.nets, {}};
    for (UInt& w : in.words) now.words.push_back(w.slice(0, n));
    const UInt made = registered(s, part(now, carry, more), enable);
    for (Word& w : sum) w = registered(s, UInt(w), enable);
    sum.insert(sum.begin(), made.slice(0, n));
    if (!more) return cat(s, std::span<const Word>(sum));
    carry = made.msb();
    left -= n;
    const UInt later = registered(s, bits(s, in.nets), enable);
    in.nets.assign(later.nets().begin(), later.nets().end());
    for (UInt& w : in.words) w = registered(s, w.slice(n, left), enable);
  }
}

UInt chain_part(Scope& s, const UInt& propagate, const UInt& generate, Net carry, bool more) {
  const std::uint32_t width = propagate.width() + (more ? 1 : 0);
  return carry_chain(s, zext(s, propagate, width), zext(s, generate, width), carry).sum;
}

UInt sum_chained(Scope& s, const UInt& a, const UInt& b, bool subtracts, Net enable) {
  return chained(s, {{}, {a, b}}, ir::constant(subtracts), enable,
                 [&](const ChainInputs& in, Net carry, bool more) {
                   return sum_part(s, in.words[0], in.words[1], carry, subtracts, more);
                 });
}

}  // namespace kumiki::gen::vision
