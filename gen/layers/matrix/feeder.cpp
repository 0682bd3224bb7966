// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/feeder.h"

#include <fmt/format.h>

#include "gen/arith/interval.h"
#include "gen/blocks/packing/hardware/control.h"

namespace kumiki::gen::matrix {
namespace {

using arith::Interval;

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
  inside.next(next_is(from) | (inside & ~next_is(to)));
  return inside.q();
}

// Words from one group to the next. They depend on where the next group is.
struct Steps {
  std::int64_t group, last_group, line, frame;  // to a group, to the last one of a line, ...
};

Steps back(const Steps& s) { return {-s.group, -s.last_group, -s.line, -s.frame}; }

// The change of a count in a clock: plus a beat with `write`, minus the words to the next group.
UInt change(Scope& s, const Steps& steps, const Progress& now, Net write, std::int64_t beat,
            std::uint32_t width) {
  const auto value = [&](bool w, std::int64_t v) {
    return packing::raw_of((w ? beat : 0) - v, width);
  };
  std::vector<Net> nets;
  for (std::uint32_t i = 0; i < width; ++i) {
    const auto bit = [&](bool w, std::int64_t v) { return (value(w, v) >> i & 1) != 0; };
    const auto by_write = [&](std::int64_t v) { return std::array{bit(false, v), bit(true, v)}; };
    const auto none = by_write(0), g = by_write(steps.group), g2 = by_write(steps.last_group),
               l = by_write(steps.line), f = by_write(steps.frame);
    nets.push_back(lut(
        s,
        [=](bool moves, bool to_last, bool line_ends, bool frame_ends, bool w) {
          return (!moves ? none : frame_ends ? f : line_ends ? l : to_last ? g2 : g)[w];
        },
        now.moves, now.to_last, now.line_ends, now.frame_ends, write));
  }
  return bits(s, nets);
}

// Words from a moving point of the ring to the loader's write address, less a limit. A negative
// sign means fewer words than the limit.
class Level {
 public:
  Level(Scope& s, const MatrixPlan& p, std::int64_t start, const Steps& steps, Net reset)
      : s_(s),
        steps_(steps),
        beat_(p.beat),
        width_(width(p, start, steps)),
        count_(s, width_, {.init = packing::raw_of(start, width_), .reset = reset}) {}
  const SInt& value() const { return count_.q(); }
  void update(Net write, const Progress& progress) {
    // A single word is the carry in.
    const bool carries = beat_ == 1;
    const UInt by =
        change(s_, steps_, progress, carries ? ir::net_zero : write, carries ? 0 : beat_, width_);
    count_.next(add(s_, count_.q(), SInt(Word(by)), carries ? write : ir::net_zero));
  }

 private:
  static std::uint32_t width(const MatrixPlan& p, std::int64_t start, const Steps& s) {
    const auto most = std::max({s.group, s.last_group, s.line, s.frame, std::int64_t{0}});
    return static_cast<std::uint32_t>(arith::signed_bits(
        Interval{std::min<std::int64_t>(start, 0) - most,
                 std::max<std::int64_t>(start + arith::power_of_two(p.ring_bits), 0)}));
  }
  Scope& s_;
  Steps steps_;
  std::int64_t beat_;
  std::uint32_t width_;
  Reg<SInt> count_;
};

// `room`: the ring takes a beat.
Loader build_loader(Scope& s, const MatrixPlan& p, Net room, Net in_valid, Net reset) {
  Loader l;
  Wire<Net> write(s);
  const auto beats = [&](std::int64_t words) { return words / p.beat; };
  const std::int64_t border = p.shape.padding;
  Net all_border = ir::net_zero;
  l.is_border.assign(static_cast<std::size_t>(p.beat), ir::net_zero);
  // Only a border needs the position of a word in the frame.
  if (border > 0) {
    const Position x = position(s, beats(p.line_words()), write, reset);
    const Net next_line = s.net(write & x.last);
    const Position y = position(s, p.shape.padded_height(), next_line, reset);
    const std::int64_t from = beats(p.stream_from()), to = beats(p.stream_to());
    const Net in_columns = between(s, x, from, to, write, reset);
    const Net in_lines = between(s, y, border, p.shape.padded_height() - border, next_line, reset);
    all_border = s.net(~(in_columns & in_lines));
    l.is_border.assign(static_cast<std::size_t>(p.beat), all_border);
    // The line may end in the middle of a beat.
    const std::int64_t rest = p.frame_line_words() % p.beat;
    if (rest != 0) {
      const Net beyond = s.net(all_border | between(s, x, to - 1, to, write, reset));
      std::fill(l.is_border.begin() + rest, l.is_border.end(), beyond);
    }
  }
  l.ready = s.net(room & ~all_border);
  l.write = s.net(room & (all_border | in_valid));
  write.drive(l.write);
  Reg<UInt> address(s, static_cast<std::uint32_t>(p.ring_bits - p.beat_bits()),
                    {.enable = l.write, .reset = reset});
  address.next(increment(s, address.q()));
  l.address = address.q();
  return l;
}

// The offset of every word of a set from the first word of the group.
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

// Where every pixel of the group begins. Pixels past the end of the line repeat the group's first.
std::vector<UInt> build_lanes(Scope& s, const MatrixPlan& p, const UInt& base, Net line_ends,
                              Net enable) {
  std::vector<UInt> all{reg(s, base, {.enable = enable})};
  for (std::int64_t k = 1; k < p.pixels; ++k) {
    const auto step = static_cast<std::uint64_t>(k * p.shape.stride * p.pixel_words());
    const bool always = k < p.last_pixels();
    const Net there = always ? ir::net_one : s.net(~line_ends);
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
  // Counts how many more words there are than the group needs, so that the sign decides.
  const std::int64_t first = p.pixel_groups == 1 ? p.need_last : p.need;
  const Steps spare_steps{p.next_group, p.next_group + p.need_last - p.need,
                          p.next_line + first - p.need_last, p.next_frame + first - p.need_last};
  Feeder f;
  // Counts how many words too many are held for one more beat to fit, so that the sign decides.
  const std::int64_t full = (std::int64_t{1} << p.ring_bits) - p.beat + 1;
  Level spare(s, p, -first, spare_steps, in.rst), held(s, p, -full, ahead, in.rst);
  f.loader = build_loader(s, p, held.value().msb(), in.in_valid, in.rst);

  // Words of a set, sets of a group, groups of a line, lines of a frame.
  Wire<Net> step(s);
  const Position word = position(s, p.words, step, in.rst);
  const Position tile = position(s, p.tiles, s.net(step & word.last), in.rst);
  const Net moves = s.net(step & word.last & tile.last);
  const Position group = position(s, p.pixel_groups, moves, in.rst);
  const Position line = position(s, p.shape.out_height(), s.net(moves & group.last), in.rst);
  const Net to_last = p.pixel_groups < 2 || p.need == p.need_last
                          ? ir::net_zero
                          : equals(s, group.value, static_cast<std::uint64_t>(p.pixel_groups - 2));
  const Progress now{moves, to_last, group.last, s.net(group.last & line.last)};

  // A group begins when all its words are there. After that it never has to wait.
  Reg<Net> begins(s, {.init = 1, .reset = in.rst});
  begins.next(moves | (begins & ~step));
  step.drive(in.en & in.loaded & ~(begins & spare.value().msb()));

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
  base.next(add(s, base.q(), change(s, back(ahead), now, ir::net_zero, 0, width)));
  spare.update(f.loader.write, now);
  // Words are given back when the row with the largest skew has read them.
  const auto hold = static_cast<std::uint32_t>(p.hold);
  const Net freed = packing::delayed_valid(s, moves, p.hold, in.en, in.rst);
  held.update(f.loader.write,
              {s.net(freed & in.en), ir::net_zero, delay(s, now.line_ends, hold, in.en),
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
  const auto latency = static_cast<std::uint32_t>(p.issue_latency());
  f.weight_address = delay(s, weight, latency - 1, in.en);
  s.named("base", base.q());
  for (std::size_t k = 0; k < f.pixel_addresses.size(); ++k)
    s.named(fmt::format("address{}", k), f.pixel_addresses[k]);
  const Net set_begins = p.words == 1 ? ir::net_one : equals(s, word.value, 0);
  f.start = packing::delayed_valid(s, s.net(step & set_begins), p.issue_latency(), in.en, in.rst);
  f.last = delay(s, s.net(now.frame_ends & tile.last), latency, in.en);
  return f;
}

}  // namespace kumiki::gen::matrix
