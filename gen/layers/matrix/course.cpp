// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/course.h"

#include "gen/blocks/packing/hardware/control.h"
#include "gen/layers/matrix/registered.h"

namespace kumiki::gen::matrix {

Steps ahead(const MatrixPlan& p) { return {p.next_group, p.next_group, p.next_line, p.next_frame}; }

std::uint32_t bits_of(const Steps& steps, std::int64_t beat) {
  const auto most = std::max({steps.group, steps.last_group, steps.line, steps.frame}) + beat;
  return static_cast<std::uint32_t>(arith::signed_bits(arith::Interval{-beat, most}));
}

UInt words_of(Scope& s, const Steps& steps, const Where& where, std::int64_t less,
              std::uint32_t width) {
  const auto value = [&](std::int64_t words) { return packing::raw_of(words - less, width); };
  const std::uint64_t none = value(0), group = value(steps.group), last = value(steps.last_group),
                      line = value(steps.line), frame = value(steps.frame);
  std::vector<Net> nets;
  for (std::uint32_t i = 0; i < width; ++i)
    nets.push_back(lut(
        s,
        [=](bool moves, bool to_last, bool line_ends, bool frame_ends) {
          return ((!moves       ? none
                   : frame_ends ? frame
                   : line_ends  ? line
                   : to_last    ? last
                                : group) >>
                      i &
                  1) != 0;
        },
        where.moves, where.to_last, where.line_ends, where.frame_ends));
  return bits(s, nets);
}

UInt whole_beats(Scope& s, const MatrixPlan& p, const UInt& words, std::uint64_t start, Net enable,
                 Net reset) {
  const auto low = static_cast<std::uint32_t>(p.beat_bits());
  if (low == 0) return words;
  Reg<UInt> left(s, low, {.init = start, .enable = enable, .reset = reset});
  const UInt sum = add(s, words, zext(s, left.q(), words.width()));
  left.next(sum.slice(0, low));
  return sum.slice(low, words.width() - low);
}

Course build_course(Scope& s, const MatrixPlan& p, Net moves, Net reset) {
  // After a reset the registers fill before the first word is there.
  const int stages = p.beat > 1 ? 2 : 1;
  Net filling = ir::net_zero, last_fills = ir::net_zero;
  for (int i = 0; i < stages; ++i) {
    Reg<Net> fill(s, {.init = i == 0 ? 1u : 0u, .reset = reset});
    fill.next(i == 0 ? ir::net_zero : last_fills);
    last_fills = fill.q();
    filling = i == 0 ? fill.q() : s.net(filling | fill);
  }
  const Net fetch = s.net(moves | filling), advance = s.net(moves | last_fills);

  const auto group = packing::position(s, p.pixel_groups, fetch, reset);
  const auto line = packing::position(s, p.shape.out_height(), s.net(fetch & group.last), reset);
  const bool differ = p.pixel_groups >= 2 && p.need != p.need_last;
  Where now{.to_last = differ ? group.before_last : ir::net_zero,
            .line_ends = group.last,
            .frame_ends = s.net(group.last & line.last)};
  if (group.value.width() > 0) s.named("pixel_group", group.value);
  if (line.value.width() > 0) s.named("line", line.value);

  const Steps more{p.next_group, p.next_group + p.need_last - p.need,
                   p.next_line + p.first_need() - p.need_last,
                   p.next_frame + p.first_need() - p.need_last};
  UInt need = registered(s, words_of(s, more, now, p.beat, bits_of(more, p.beat)), fetch);
  now.to_last = ir::net_zero;
  if (stages == 2) {
    now.line_ends = registered(s, now.line_ends, fetch);
    now.frame_ends = registered(s, now.frame_ends, fetch);
    const auto start = static_cast<std::uint64_t>((p.first_need() - 1) % p.beat);
    need = reg(s, whole_beats(s, p, need, start, advance, reset), {.enable = advance});
  }
  const auto ring = static_cast<std::uint32_t>(p.ring_bits);
  return {.need = need,
          .step = registered(s, words_of(s, ahead(p), now, 0, ring), advance),
          .place = {registered(s, now.line_ends, advance), registered(s, now.frame_ends, advance)},
          .line_goes_on = registered(s, s.net(~now.line_ends), advance)};
}

}  // namespace kumiki::gen::matrix
