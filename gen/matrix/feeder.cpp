// SPDX-License-Identifier: Apache-2.0
#include "gen/matrix/feeder.h"

#include <fmt/format.h>

#include "gen/packing/hardware/control.h"
#include "gen/packing/interval.h"

namespace kumiki::gen::matrix {
namespace {

using packing::Interval;

Net all(Scope& s, std::initializer_list<Net> nets) { return all_of(s, std::vector<Net>(nets)); }

// A counter that may have a single state.
struct Position {
  UInt value;  // no bits with a single state
  Net last = ir::net_one;
};

Position position(Scope& s, std::int64_t modulo, Net enable, Net reset) {
  if (modulo == 1) return {};
  const auto c =
      counter(s, {.modulo = static_cast<std::uint64_t>(modulo), .enable = enable, .reset = reset});
  return {c.value, c.last};
}

// 1 from position `from` of a counter on, until `to`: a flip-flop beside the counter.
Net between(Scope& s, const Position& at, std::int64_t from, std::int64_t to, Net enable,
            Net reset) {
  Reg<Net> inside(s, {.enable = enable, .reset = reset});
  const auto next_is = [&](std::int64_t position) {
    return equals(s, at.value, static_cast<std::uint64_t>(position - 1));
  };
  inside.next(lut(
      s, [](bool q, bool set, bool clear) { return set || (q && !clear); }, inside.q(),
      next_is(from), next_is(to)));
  return inside.q();
}

// Words from one group to the next, by where it stands.
struct Steps {
  std::int64_t group, last_group, line, frame;  // to a group, to the last one of a line, ...
};

UInt amount(Scope& s, const Steps& steps, const Progress& now, bool negative, std::uint32_t width) {
  const auto value = [&](std::int64_t v) { return packing::raw_of(negative ? -v : v, width); };
  const std::uint64_t group = value(steps.group), last = value(steps.last_group),
                      line = value(steps.line), frame = value(steps.frame);
  std::vector<Net> nets;
  for (std::uint32_t i = 0; i < width; ++i) {
    const bool g = group >> i & 1, g2 = last >> i & 1, l = line >> i & 1, f = frame >> i & 1;
    nets.push_back(lut(
        s,
        [g, g2, l, f](bool moves, bool to_last, bool line_ends, bool frame_ends) {
          return moves && (frame_ends ? f : line_ends ? l : to_last ? g2 : g);
        },
        now.moves, now.to_last, now.line_ends, now.frame_ends));
  }
  return bits(s, nets);
}

// Words from a moving point of the ring to where the loader writes; less than 0 while the point is
// ahead of it.
class Level {
 public:
  Level(Scope& s, const MatrixPlan& p, std::int64_t start, const Steps& steps, Net reset)
      : s_(s),
        steps_(steps),
        width_(width(p, start, steps)),
        count_(s, width_, {.init = packing::raw_of(start, width_), .reset = reset}) {}
  const SInt& value() const { return count_.q(); }
  void update(Net write, const Progress& progress) {
    count_.next(add(s_, count_.q(), SInt(Word(amount(s_, steps_, progress, true, width_))), write));
  }

 private:
  static std::uint32_t width(const MatrixPlan& p, std::int64_t start, const Steps& s) {
    const auto most = std::max({s.group, s.last_group, s.line, s.frame, std::int64_t{0}});
    return static_cast<std::uint32_t>(packing::signed_bits(
        Interval{std::min<std::int64_t>(start, 0) - most, packing::power_of_two(p.ring_bits)}));
  }
  Scope& s_;
  Steps steps_;
  std::uint32_t width_;
  Reg<SInt> count_;
};

// The ring is full: 2^ring_bits is the most there can be.
Net is_full(Scope& s, const MatrixPlan& p, const Level& held) {
  return lut(
      s, [](bool bit, bool sign) { return bit && !sign; },
      held.value()[static_cast<std::uint32_t>(p.ring_bits)], held.value().msb());
}

Loader build_loader(Scope& s, const MatrixPlan& p, Net full, Net in_valid, Net reset) {
  Loader l;
  Wire<Net> write(s);
  const std::int64_t border = p.shape.padding;
  const Position x = position(s, p.line_words(), write, reset);
  const Net next_line = all(s, {write, x.last});
  const Position y = position(s, p.shape.padded_height(), next_line, reset);
  l.is_border = ir::net_zero;
  if (border > 0) {
    const std::int64_t left = border * p.pixel_words();
    l.is_border = lut(
        s, [](bool a, bool b) { return !(a && b); },
        between(s, x, left, p.line_words() - left, write, reset),
        between(s, y, border, p.shape.padded_height() - border, next_line, reset));
  }
  l.ready = lut(
      s, [](bool f, bool b) { return !f && !b; }, full, l.is_border);
  l.write = lut(
      s, [](bool f, bool b, bool v) { return !f && (b || v); }, full, l.is_border, in_valid);
  write.drive(l.write);
  Reg<UInt> address(s, static_cast<std::uint32_t>(p.ring_bits),
                    {.enable = l.write, .reset = reset});
  address.next(increment(s, address.q()));
  l.address = address.q();
  return l;
}

// The offset of every word of a set from the group's first one.
UInt build_offsets(Scope& s, const MatrixPlan& p, const UInt& word, const UInt& weight_address,
                   Net enable) {
  const bool by_tile = p.shape.groups > 1;
  const std::int64_t depth = by_tile ? p.tiles * p.words : p.words;
  const auto width = static_cast<std::uint32_t>(p.ring_bits);
  if (depth == 1) return s.constant(static_cast<std::uint64_t>(p.offset_of(0, 0)), width);
  Memory rom{.depth = static_cast<std::uint32_t>(depth),
             .width = width,
             .style = depth <= 256 ? ir::memory::distributed : ir::memory::block,
             .read_enable = enable,
             .read_address = by_tile ? weight_address : word};
  for (std::int64_t i = 0; i < depth; ++i)
    rom.contents.push_back(static_cast<std::uint64_t>(p.offset_of(i / p.words, i % p.words)));
  return rom.add_to(s);
}

// Where every pixel of the group begins; pixels past the end of the line are the group's first.
std::vector<UInt> build_lanes(Scope& s, const MatrixPlan& p, const UInt& base, Net line_ends,
                              Net enable) {
  std::vector<UInt> all{reg(s, base, {.enable = enable})};
  for (std::int64_t k = 1; k < p.pixels; ++k) {
    const auto step = static_cast<std::uint64_t>(k * p.shape.stride * p.pixel_words());
    const bool always = k < p.last_pixels();
    const Net there = always ? ir::net_one : invert(s, line_ends);
    std::vector<Net> nets;
    for (std::uint32_t i = 0; i < base.width(); ++i)
      nets.push_back(step >> i & 1 ? there : ir::net_zero);
    all.push_back(reg(s, add(s, base, bits(s, nets)), {.enable = enable}));
  }
  return all;
}

}  // namespace

Feeder build_feeder(Scope& s, const MatrixPlan& p, const FeederIn& in) {
  const Steps ahead{p.next_group, p.next_group, p.next_line, p.next_frame};
  // Not how many words there are, but how many more than the group needs: its sign decides.
  const std::int64_t first = p.pixel_groups == 1 ? p.need_last : p.need;
  const Steps spare_steps{p.next_group, p.next_group + p.need_last - p.need,
                          p.next_line + first - p.need_last, p.next_frame + first - p.need_last};
  Feeder f;
  Level spare(s, p, -first, spare_steps, in.rst), held(s, p, 0, ahead, in.rst);
  f.loader = build_loader(s, p, is_full(s, p, held), in.in_valid, in.rst);

  // Words of a set, sets of a group, groups of a line, lines of a frame.
  Wire<Net> step(s);
  const Position word = position(s, p.words, step, in.rst);
  const Position tile = position(s, p.tiles, all(s, {step, word.last}), in.rst);
  const Net moves = all(s, {step, word.last, tile.last});
  const Position group = position(s, p.pixel_groups, moves, in.rst);
  const Position line = position(s, p.shape.out_height(), all(s, {moves, group.last}), in.rst);
  const Net to_last = p.pixel_groups < 2 || p.need == p.need_last
                          ? ir::net_zero
                          : equals(s, group.value, static_cast<std::uint64_t>(p.pixel_groups - 2));
  const Progress now{moves, to_last, group.last, all(s, {group.last, line.last})};

  // A group begins when all its words are there; then nothing can hold it up.
  Reg<Net> begins(s, {.init = 1, .reset = in.rst});
  begins.next(lut(
      s, [](bool q, bool stepped, bool moved) { return moved || (q && !stepped); }, begins.q(),
      Net(step), moves));
  step.drive(lut(
      s,
      [](bool en, bool loaded, bool fresh, bool missing) {
        return en && loaded && !(fresh && missing);
      },
      in.en, in.loaded, begins.q(), spare.value().msb()));

  s.named("step", Net(step));
  s.named("moves", moves);
  s.named("spare", spare.value());
  s.named("held", held.value());
  s.named("write_address", f.loader.address);
  if (word.value.width() > 0) s.named("word", word.value);
  if (tile.value.width() > 0) s.named("tile", tile.value);
  if (group.value.width() > 0) s.named("pixel_group", group.value);
  if (line.value.width() > 0) s.named("line", line.value);

  const auto width = static_cast<std::uint32_t>(p.ring_bits);
  Reg<UInt> base(s, width, {.reset = in.rst});
  base.next(add(s, base.q(), amount(s, ahead, now, false, width)));
  spare.update(f.loader.write, now);
  // What late rows still read is given back when the last of them has read it.
  const auto hold = static_cast<std::uint32_t>(p.hold);
  const Net freed = packing::delayed_valid(s, moves, p.hold, in.en, in.rst);
  held.update(f.loader.write,
              {all(s, {freed, in.en}), ir::net_zero, delay(s, now.line_ends, hold, in.en),
               delay(s, now.frame_ends, hold, in.en)});

  const UInt weight = p.tiles * p.words == 1
                          ? s.constant(0, 1)
                          : counter(s, {.modulo = static_cast<std::uint64_t>(p.tiles * p.words),
                                        .enable = step,
                                        .reset = in.rst})
                                .value;
  const UInt offset = build_offsets(s, p, word.value, weight, in.en);
  for (const UInt& lane : build_lanes(s, p, base.q(), now.line_ends, in.en))
    f.pixel_addresses.push_back(reg(s, add(s, lane, offset), {.enable = in.en}));
  f.weight_address = delay(s, weight, issue_latency - 1, in.en);
  s.named("base", base.q());
  for (std::size_t k = 0; k < f.pixel_addresses.size(); ++k)
    s.named(fmt::format("address{}", k), f.pixel_addresses[k]);
  const Net set_begins = p.words == 1 ? ir::net_one : equals(s, word.value, 0);
  f.start = packing::delayed_valid(s, all(s, {step, set_begins}), issue_latency, in.en, in.rst);
  f.last = delay(s, all(s, {now.frame_ends, tile.last}), issue_latency, in.en);
  return f;
}

}  // namespace kumiki::gen::matrix
