// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/feeder.h"

#include <fmt/format.h>

#include "gen/arith/interval.h"
#include "gen/blocks/packing/hardware/control.h"
#include "gen/layers/matrix/course.h"
#include "gen/layers/matrix/registered.h"

namespace kumiki::gen::matrix {
namespace {

using packing::between;
using packing::delayed_valid;
using packing::position;
using packing::Position;

// Counts beats minus one, so the sign shows whether there are any. A written beat counts it down.
class Beats {
 public:
  Beats(Scope& s, std::int64_t start, std::int64_t most, Net reset)
      : s_(s),
        width_(static_cast<std::uint32_t>(arith::signed_bits(arith::Interval{-most - 1, most}))),
        count_(s, width_,
               {.init = packing::raw_of(start - 1, static_cast<int>(width_)), .reset = reset}) {}
  Net none() const { return count_.q().msb(); }
  const SInt& value() const { return count_.q(); }
  // Adds `less_one` + 1 if all of `when` are 1, and subtracts one unless `stays`.
  void update(const UInt& less_one, const std::vector<Net>& when, Net stays) {
    const UInt more = UInt(Word(sext(s_, SInt(Word(less_one)), width_)));
    std::vector<Net> in = when;
    in.resize(4, ir::net_one);
    const UInt propagate = lut_o6(
        s_,
        [](bool count, bool m, bool a, bool b, bool c, bool d) {
          return count != (!(a && b && c && d) || m);
        },
        SourceLocation::current(), UInt(Word(count_.q())), more, in[0], in[1], in[2], in[3]);
    count_.next(SInt(Word(carry_chain(s_, propagate, count_.q(), stays).sum)));
  }

 private:
  Scope& s_;
  std::uint32_t width_;
  Reg<SInt> count_;
};

// 1 while a counter of `modulo` values is at least `from` and below `to`.
Net within(Scope& s, const Position& at, std::int64_t modulo, std::int64_t from, std::int64_t to,
           Net enable, Net reset) {
  if (from > 0) return between(s, at, from, to, enable, reset);
  return to == modulo ? Net(ir::net_one) : s.net(~between(s, at, to, modulo, enable, reset));
}

// `room`: the ring can take a beat.
Loader build_loader(Scope& s, const MatrixPlan& p, Net room, Net in_valid, Net reset) {
  Loader l;
  Wire<Net> write(s);
  const auto beats = [&](std::int64_t words) { return words / p.beat; };
  const Padding& padding = p.shape.padding;
  Net all_border = ir::net_zero;
  l.is_border.assign(static_cast<std::size_t>(p.beat), ir::net_zero);
  // Only a border depends on the position of a word in the frame.
  if (padding.any()) {
    const std::int64_t line = beats(p.line_words()), lines = p.shape.padded_height();
    const Position x = position(s, line, write, reset);
    const Net next_line = lines > p.shape.height ? s.net(write & x.last) : Net(ir::net_zero);
    const Position y = lines > p.shape.height ? position(s, lines, next_line, reset) : Position{};
    const std::int64_t from = beats(p.stream_from()), to = beats(p.stream_to());
    const Net in_columns = within(s, x, line, from, to, write, reset);
    const Net in_lines = within(s, y, lines, padding.top, lines - padding.bottom, next_line, reset);
    all_border = s.net(~(in_columns & in_lines));
    l.is_border.assign(static_cast<std::size_t>(p.beat), all_border);
    // The line may end in the middle of a beat.
    const std::int64_t rest = p.frame_line_words() % p.beat;
    if (rest != 0) {
      const Net beyond = s.net(all_border | within(s, x, line, to - 1, to, write, reset));
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

// The offset of every word of a set from the first word of the group, one clock after its number.
UInt build_offsets(Scope& s, const MatrixPlan& p, const UInt& word, const UInt& weight_address) {
  const bool by_tile = p.shape.groups > 1;
  const std::int64_t depth = by_tile ? p.tiles * p.words : p.words;
  const auto width = static_cast<std::uint32_t>(p.ring_bits);
  if (depth == 1) return s.constant(static_cast<std::uint64_t>(p.offset_of(0, 0)), width);
  Memory rom{.depth = static_cast<std::uint32_t>(depth),
             .width = width,
             .style = depth <= 256 ? ir::memory::distributed : ir::memory::block,
             .read_address = by_tile ? weight_address : word};
  for (std::int64_t i = 0; i < depth; ++i)
    rom.contents.push_back(static_cast<std::uint64_t>(p.offset_of(i / p.words, i % p.words)));
  return rom.add_to(s);
}

// The start of every pixel of a group, or of every position of one pixel, from `moves` on. Pixels
// past the end of the line repeat the group's first.
std::vector<UInt> build_lanes(Scope& s, const MatrixPlan& p, const Course& course, Net moves,
                              Net reset) {
  Reg<UInt> base(s, static_cast<std::uint32_t>(p.ring_bits), {.enable = moves, .reset = reset});
  base.next(add(s, base.q(), course.step));
  s.named("base", base.q());
  std::vector<UInt> all{reg(s, base.q(), {.enable = moves})};
  for (std::int64_t position = 1; position < p.positions; ++position) {
    const auto distance = static_cast<std::uint64_t>(p.distance(position));
    const UInt there = add(s, base.q(), s.constant(distance, base.q().width()));
    all.push_back(reg(s, there, {.enable = moves}));
  }
  for (std::int64_t k = 1; k < p.pixels; ++k) {
    const auto step = static_cast<std::uint64_t>(k * p.shape.stride.x * p.pixel_words());
    const Net there = k < p.last_pixels() ? ir::net_one : course.line_goes_on;
    std::vector<Net> nets;
    for (std::uint32_t i = 0; i < base.q().width(); ++i)
      nets.push_back(step >> i & 1 ? there : ir::net_zero);
    all.push_back(reg(s, add(s, base.q(), bits(s, nets)), {.enable = moves}));
  }
  return all;
}

class FeederBuilder {
 public:
  FeederBuilder(Scope& s, const MatrixPlan& p, const FeederIn& in)
      : s_(s),
        p_(p),
        in_(in),
        room_(s, p.ring_beats(), p.ring_beats() + p.longest_step(), in.rst),
        needed_(s, p.first_need_beats(), std::max(p.ring_beats(), p.longest_step()), in.rst) {}

  Feeder build() {
    f_.loader = build_loader(s_, p_, s_.net(~room_.none()), in_.in_valid, in_.rst);
    build_issue();
    const Net moves =
        p_.group_clocks() == 1 ? f_.goes : delayed_valid(s_, begins_, 1, ir::net_one, in_.rst);
    const Course course = build_course(s_, p_, moves, in_.rst);
    Reg<Net> waits(s_, {.init = 1, .reset = in_.rst});  // no beat was written
    waits.next(~f_.loader.write);
    needed_.update(course.need,
                   p_.group_clocks() == 1 ? std::vector<Net>{in_.loaded, in_.room, needed_.none()}
                                          : std::vector<Net>{moves},
                   waits);
    const Place place{registered(s_, course.place.line_ends, moves),
                      registered(s_, course.place.frame_ends, moves)};
    give_back(place);
    if (p_.reloads) {
      f_.frame_done = s_.net(ends_ & place.frame_ends);
      const Position half = position(s_, 2, f_.frame_done, in_.rst);
      weight_ = cat(s_, {Word(half.value), Word(weight_)});
    }
    build_addresses(build_lanes(s_, p_, course, moves, in_.rst));
    const int issue = p_.issue_latency(), lanes = p_.lanes_after();
    f_.start = delayed_valid(s_, f_.goes, issue, ir::net_one, in_.rst);
    f_.last = later(s_, s_.net(place.frame_ends & later(s_, tile_.last, lanes)), issue - lanes);
    s_.named("needed", needed_.value());
    s_.named("room", room_.value());
    s_.named("write_address", f_.loader.address);
    return f_;
  }

 private:
  // Issues words of a set and sets of a group. A set begins when the exit has room for its results;
  // the first set of a group also waits for all of its words. After that it never waits.
  void build_issue() {
    Wire<Net> step(s_), next_set(s_);
    tile_ = position(s_, p_.tiles, next_set, in_.rst);
    const Net may = s_.net(in_.loaded & in_.room & (~tile_.first | needed_.none()));
    Position word;
    if (p_.words == 1) {
      f_.goes = may;
      step.drive(may);
      next_set.drive(may);
    } else {
      word = position(s_, p_.words, step, in_.rst);
      f_.goes = s_.net(word.first & may);
      step.drive(~word.first | may);
      next_set.drive(word.last);  // a running set never stops
    }
    begins_ = s_.net(f_.goes & tile_.first);
    ends_ = s_.net(next_set & tile_.last);
    if (p_.is_double)
      f_.ends = delayed_valid(s_, next_set, p_.issue_latency(), ir::net_one, in_.rst);
    weight_ = p_.tiles == 1 ? word.value : position(s_, p_.group_clocks(), step, in_.rst).value;
    if (weight_.width() == 0) weight_ = s_.constant(0, 1);
    word_ = word.value;
    s_.named("step", Net(step));
    if (word.value.width() > 0) s_.named("word", word.value);
    if (tile_.value.width() > 0) s_.named("tile", tile_.value);
  }

  // Words are released after the row with the largest skew has read them.
  void give_back(const Place& place) {
    const int after = p_.lanes_after();
    const int more = p_.hold - after - (p_.beat > 1 ? 2 : 1);
    const Where where{.moves = delayed_valid(s_, ends_, after + more, ir::net_one, in_.rst),
                      .line_ends = later(s_, place.line_ends, more),
                      .frame_ends = later(s_, place.frame_ends, more)};
    const Steps steps = ahead(p_);
    const std::uint32_t width = bits_of(steps, p_.beat);
    const std::uint64_t nothing = (std::uint64_t{1} << width) - static_cast<std::uint64_t>(p_.beat);
    UInt words =
        reg(s_, words_of(s_, steps, where, p_.beat, width), {.init = nothing, .reset = in_.rst});
    if (p_.beat > 1)
      words = reg(
          s_, whole_beats(s_, p_, words, 0, ir::net_one, in_.rst),
          {.init = (std::uint64_t{1} << (width - static_cast<std::uint32_t>(p_.beat_bits()))) - 1,
           .reset = in_.rst});
    room_.update(words, {}, s_.net(~f_.loader.write));
  }

  void build_addresses(const std::vector<UInt>& lanes) {
    const auto after = static_cast<std::uint32_t>(p_.lanes_after());
    UInt offset = build_offsets(s_, p_, word_, weight_);
    if (!offset[0].is_constant()) offset = delay(s_, offset, after - 1);
    for (const UInt& lane : lanes) f_.pixel_addresses.push_back(reg(s_, add(s_, lane, offset)));
    f_.weight_address = weight_[0].is_constant() ? weight_ : delay(s_, weight_, after + 1);
    for (std::size_t k = 0; k < lanes.size(); ++k)
      s_.named(fmt::format("address{}", k), f_.pixel_addresses[k]);
  }

  Scope& s_;
  const MatrixPlan& p_;
  const FeederIn& in_;
  Beats room_, needed_;  // beats that fit into the ring; beats that the next group lacks
  Feeder f_;
  Position tile_;
  UInt word_, weight_;
  Net begins_, ends_;  // a group, in its first and its last clock
};

}  // namespace

Feeder build_feeder(Scope& s, const MatrixPlan& p, const FeederIn& in) {
  return FeederBuilder(s, p, in).build();
}

}  // namespace kumiki::gen::matrix
