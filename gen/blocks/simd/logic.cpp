// SPDX-License-Identifier: Apache-2.0
// The logic unit: a slice takes 48 bits of any words.
#include <fmt/format.h>

#include "gen/blocks/simd/simd.h"
#include "gen/blocks/simd/slices.h"

namespace kumiki::gen::simd {
namespace {

struct Opcode {
  std::uint8_t alumode, y;  // Y = 00: the AND family, 10: the OR family
};

// X = A:B = a, Z = C = b. s = X ^ Y ^ Z (01xx), co = majority (11xx). ALUMODE[0] inverts Z,
// ALUMODE[1] the output.
Opcode opcode(Logic f) {
  switch (f) {
    case Logic::and_:
      return {0b1100, 0b00};
    case Logic::or_:
      return {0b1100, 0b10};
    case Logic::xor_:
      return {0b0100, 0b00};
    case Logic::not_:
      return {0b0101, 0b00};  // a XNOR 0
  }
  return {};
}

Words flat(Scope& s, const Words& words, SourceLocation here) {
  std::vector<Net> all;
  for (const UInt& w : words) all.insert(all.end(), w.nets().begin(), w.nets().end());
  Words out;
  constexpr std::size_t width = lane_bits(Lanes::one48);
  for (std::size_t i = 0; i < all.size(); i += width)
    out.push_back(zext(s, bits(s, std::span(all).subspan(i, std::min(width, all.size() - i)), here),
                       width, here));
  return out;
}

}  // namespace

Words logic(Scope& s, const Options& o, Logic function, const Words& a, const Words& b,
            SourceLocation here) {
  if (function == Logic::not_ ? !b.empty() : b.empty())
    refuse(here, code::wrong_count,
           fmt::format("simd::logic: {} operands, the function has {}", b.empty() ? 1 : 2,
                       b.empty() ? 2 : 1));
  if (!b.empty() && a.size() != b.size())
    refuse(here, code::wrong_count,
           fmt::format("simd::logic of {} and {} words: the same number", a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) want_equal_widths("simd::logic", a[i], b[i], here);
  const Opcode c = opcode(function);
  const auto z = static_cast<std::uint16_t>(b.empty() ? 0 : 0b011);
  const auto opmode = static_cast<std::uint16_t>(z << 4 | c.y << 2 | 0b11);
  // All words together, 48 bits a slice, then cut again.
  Options whole = o;
  whole.lanes = Lanes::one48;
  std::vector<Net> result;
  const Operation operation{.opmode = opmode, .alumode = c.alumode};
  for (const UInt& p : run(s, whole, operation, flat(s, a, here), flat(s, b, here), here).p)
    result.insert(result.end(), p.nets().begin(), p.nets().end());
  Words out;
  std::size_t at = 0;
  for (const UInt& w : a) {
    out.push_back(bits(s, std::span(result).subspan(at, w.width()), here));
    at += w.width();
  }
  return out;
}

}  // namespace kumiki::gen::simd
