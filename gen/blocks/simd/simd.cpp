// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/simd/simd.h"

#include <fmt/format.h>

#include "gen/blocks/simd/messages.h"
#include "gen/blocks/simd/slices.h"
#include "gen/hdl/mux.h"

namespace kumiki::gen::simd {
namespace {

constexpr std::uint16_t x_is_ab = 0b000'00'11, z_is_c = 0b011'00'00;
constexpr std::uint8_t z_minus_x = 0b0011;

// Checks that all words of both sides have one width and that `extra` more bits fit the lane.
std::uint32_t checked_width(const char* what, const Options& o, const Words& a, const Words& b,
                            std::uint32_t extra, SourceLocation here) {
  if (a.empty() || a.size() != b.size())
    refuse(here, code::wrong_count,
           fmt::format("{} of {} and {} words: the same number, at least one", what, a.size(),
                       b.size()));
  const std::uint32_t width = a[0].width(), most = lane_bits(o.lanes) - extra;
  for (const Words* side : {&a, &b})
    for (const UInt& w : *side) want_equal_widths(what, a[0], w, here);
  if (width == 0 || width > most)
    refuse(here, code::lane_too_narrow,
           fmt::format("{} of {} bits in lanes of {}: 1 to {} bits give exact results", what, width,
                       lane_bits(o.lanes), most));
  return width;
}

Words extended(Scope& s, const Options& o, const Words& words, SourceLocation here) {
  Words out;
  const std::uint32_t bits = lane_bits(o.lanes);
  for (const UInt& w : words)
    out.push_back(o.is_signed ? UInt(sext(s, SInt(Word(w)), bits, here)) : zext(s, w, bits, here));
  return out;
}

Words low_bits(const Words& lanes, std::uint32_t width) {
  Words out;
  for (const UInt& w : lanes) out.push_back(w.slice(0, width));
  return out;
}

// Exchanges the sign bits of the two sides. Read as unsigned words, they have the difference and
// the order of the signed words. This costs nothing; inverting both sign bits would cost LUTs.
Words with_signs_of(Scope& s, const Words& words, const Words& signs, SourceLocation here) {
  Words out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out.push_back(cat(
        s, {bits(s, {signs[i].msb()}, here), words[i].slice(0, words[i].width() - 1, here)}, here));
  return out;
}

// a - b in lanes, with a >= b on the carries.
LaneResults difference(Scope& s, const Options& o, const Words& a, const Words& b,
                       SourceLocation here) {
  Options plain = o;
  plain.is_signed = false;
  const Words x = o.is_signed ? with_signs_of(s, a, b, here) : a;
  const Words y = o.is_signed ? with_signs_of(s, b, a, here) : b;
  return run(s, o, {.opmode = z_is_c | x_is_ab, .alumode = z_minus_x}, extended(s, plain, y, here),
             extended(s, plain, x, here), here);
}

}  // namespace

Lanes lanes_for(std::uint32_t bits) {
  for (const Lanes l : {Lanes::four12, Lanes::two24, Lanes::one48})
    if (bits <= lane_bits(l)) return l;
  throw DesignError(
      code::lane_too_narrow,
      fmt::format("words of {} bits are too wide; a slice has lanes of 12, 24 and 48", bits));
}

Words add(Scope& s, const Options& o, const Words& a, const Words& b, SourceLocation here) {
  const std::uint32_t width = checked_width("simd::add", o, a, b, 1, here);
  return low_bits(run(s, o, {.opmode = z_is_c | x_is_ab}, extended(s, o, a, here),
                      extended(s, o, b, here), here)
                      .p,
                  width + 1);
}

Difference subtract(Scope& s, const Options& o, const Words& a, const Words& b,
                    SourceLocation here) {
  const std::uint32_t width = checked_width("simd::subtract", o, a, b, 1, here);
  LaneResults d = difference(s, o, a, b, here);
  return {low_bits(d.p, width + 1), std::move(d.carries)};
}

std::vector<Net> at_least(Scope& s, const Options& o, const Words& a, const Words& b,
                          SourceLocation here) {
  checked_width("simd::at_least", o, a, b, 0, here);
  return difference(s, o, a, b, here).carries;
}

Words absolute_difference(Scope& s, const Options& o, const Words& a, const Words& b,
                          SourceLocation here) {
  const std::uint32_t width = checked_width("simd::absolute_difference", o, a, b, 0, here);
  Words x, y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    x.insert(x.end(), {a[i], b[i]});
    y.insert(y.end(), {b[i], a[i]});
  }
  const LaneResults d = difference(s, o, x, y, here);
  Words out;
  for (std::size_t i = 0; i < a.size(); ++i)
    out.push_back(
        mux(s, d.carries[2 * i], d.p[2 * i].slice(0, width), d.p[2 * i + 1].slice(0, width), here));
  return out;
}

Words select(Scope& s, const std::vector<Net>& choose, const Words& when_one,
             const Words& when_zero, SourceLocation here) {
  if (choose.size() != when_one.size() || choose.size() != when_zero.size())
    refuse(here, code::wrong_count,
           fmt::format("simd::select of {} and {} words by {} nets", when_one.size(),
                       when_zero.size(), choose.size()));
  Words out;
  for (std::size_t i = 0; i < choose.size(); ++i)
    out.push_back(mux(s, choose[i], when_one[i], when_zero[i], here));
  return out;
}

}  // namespace kumiki::gen::simd
