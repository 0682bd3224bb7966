// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"

namespace kumiki::gen::engine {
namespace {

constexpr auto walked_pixels = static_cast<std::uint32_t>(EngineShape::pixels);
constexpr std::uint32_t coordinate_bits = CorePlan::coordinate_bits;

// Line and column of a pixel of the set.
class Coordinate {
 public:
  // `last`: the pitch less 1.
  Coordinate(Scope& s, std::uint32_t lane, const UInt& last, Net moves, Net restarts)
      : x_(s, coordinate_bits, {.init = lane, .enable = s.net(moves | restarts)}),
        y_(s, coordinate_bits, {.enable = s.net(moves | restarts)}) {
    // A set takes four clocks or more, so the next pixel is known a few clocks later.
    const UInt ahead = reg(s, zext(s, add(s, x_.q(), s.constant(walked_pixels, coordinate_bits)),
                                   coordinate_bits + 1));
    const UInt inverted = lut(
        s, [](bool bit) { return !bit; }, zext(s, last, coordinate_bits + 1));
    const UInt behind = reg(s, add(s, ahead, inverted));
    const UInt below = reg(s, increment(s, y_.q()));
    const Net stays = behind.msb();
    const UInt next_x =
                   mux(s, stays, ahead.slice(0, coordinate_bits), behind.slice(0, coordinate_bits)),
               next_y = mux(s, stays, y_.q(), below);
    x_.next(mux(s, restarts, s.constant(lane, coordinate_bits), next_x));
    y_.next(masked(s, s.net(~Bit(restarts)), next_y));
  }
  const UInt& x() const { return x_.q(); }
  const UInt& y() const { return y_.q(); }

 private:
  Reg<UInt> x_, y_;
};

}  // namespace

Loop::Loop(Scope& s, const UInt& bound, Net moves, Net restarts)
    : left_(s, bound.width(), {.enable = s.net(moves | restarts)}),
      last_(s, {.enable = s.net(moves | restarts)}) {
  const Net is_single = reg(s, s.net(~Bit(any_of(s, bound))));
  const Net loads = s.net(restarts | last_);
  left_.next(
      mux(s, loads, bound,
          add(s, left_.q(), s.constant((std::uint64_t{1} << bound.width()) - 1, bound.width()))));
  before_last_ = s.net(mux(loads, is_single, equals(s, left_.q(), 1)));
  last_.next(before_last_);
}

Issued build_walk(Scope& s, const CorePlan& p, const Ports& in, Net has_weights) {
  Issued out{};
  const std::uint32_t places = p.place_bits();
  Reg<Net> running(s, {.reset = in.rst}), in_set(s, {.reset = in.rst}),
      first_set(s, {.init = 1, .reset = in.rst}), second(s, {.reset = in.rst});
  const Net idle = s.net(~running);

  // A set begins when the results of the one before it have left.
  Wire<Net> begins(s);
  Bit leaves = Net(begins), leaves_parts = ir::net_zero;
  Net before = begins;
  for (std::int64_t clock = 1; clock < p.slots(Unit::depthwise) - 1; ++clock) {
    before = reg(s, before, {.reset = in.rst});
    (clock < p.slots(Unit::products) - 1 ? leaves : leaves_parts) |= before;
  }
  const Net waits = reg(s, s.net(leaves | (leaves_parts & in.depthwise)), {.reset = in.rst});
  const Net issues = s.net(running & (in_set | (~waits & ~second & (~first_set | has_weights))));
  begins.drive(issues & ~in_set);

  const Loop block(s, in.blocks, issues, idle);
  const Net tap_moves = s.net(issues & block.last());
  const Loop tap(s, in.taps, tap_moves, idle);
  const Net repeat_moves = s.net(issues & block.last() & tap.last());
  const Loop repeat(s, in.repeats, repeat_moves, idle);
  const Net ends = s.net(issues & block.last() & tap.last() & repeat.last());
  const Loop set(s, in.sets, ends, idle);
  const Net ends_tile = s.net(ends & set.last());
  const Loop tile(s, in.tiles, ends_tile, idle);
  const Net ends_all = s.net(ends_tile & tile.last());
  running.next((running & ~ends_all) | in.start);
  second.next(ends & in.adds);
  in_set.next(mux(issues, ~ends, in_set));
  first_set.next(idle | ends_tile | (first_set & ~begins));
  Reg<Net> is_first(s, {.enable = begins});
  is_first.next(first_set);
  out.begins = begins;
  out.ends = ends;
  out.ends_tile = ends_tile;
  out.ends_first = s.net(ends & mux(begins, first_set, is_first));
  out.ends_all = ends_all;
  out.claims = s.net(begins & first_set);

  // Places: of the set's first pixel, of the block, of the repetition.
  const auto stepped = [&](const UInt& step, Net moves, Net returns) {
    Reg<UInt> at(s, places, {.enable = s.net(moves | idle)});
    at.next(masked(s, s.net(~Bit(returns) & running), add(s, at.q(), step)));
    return at.q();
  };
  const UInt of_block = stepped(in.block_step, issues, block.last());
  const UInt of_repeat = stepped(in.repeat_step, repeat_moves, repeat.last());
  Reg<UInt> of_tile(s, places, {.enable = s.net(ends_tile | idle)});
  const UInt next_tile = reg(s, add(s, of_tile.q(), in.tile_step));
  of_tile.next(mux(s, idle, in.from, next_tile));
  Reg<UInt> place(s, places, {.enable = s.net(ends | idle)});
  place.next(lut(
      s,
      [](bool waits, bool ends, bool from, bool tile, bool next) {
        return waits ? from : ends ? tile : next;
      },
      idle, set.last(), in.from, next_tile, add(s, place.q(), s.constant(walked_pixels, places))));
  const auto counted = [&](std::uint32_t width, Net moves, Net returns) {
    Reg<UInt> at(s, width, {.enable = s.net(moves | idle)});
    at.next(masked(s, s.net(~Bit(returns) & running), increment(s, at.q())));
    return at.q();
  };
  const UInt tap_number = counted(p.tap_bits(), tap_moves, tap.last());
  const UInt repeated = counted(coordinate_bits, repeat_moves, repeat.last());

  // The second numbers of a set are four neighbours. Tiles of a block have parts of them.
  const Net begins_tile = s.net(idle | (second & reg(s, ends_tile)));
  UInt part = bits(s, {ir::net_zero});
  Net ends_block = ir::net_one;
  if (p.parts() > 1) {
    Reg<UInt> at(s, p.turn_bits(), {.enable = begins_tile});
    at.next(mux(s, idle, in.part.slice(0, p.turn_bits()), increment(s, at.q())));
    part = at.q();
    ends_block = s.net(in.depthwise | equals(s, part, static_cast<std::uint64_t>(p.parts() - 1)));
  }
  Reg<UInt> seconds_of_tile(s, places, {.enable = begins_tile}),
      seconds(s, places, {.enable = s.net(idle | second)});
  const UInt next_seconds = reg(
      s,
      mux(s, ends_block, reg(s, add(s, seconds_of_tile.q(), in.second_step)), seconds_of_tile.q()));
  seconds_of_tile.next(mux(s, idle, in.second, next_seconds));
  seconds.next(lut(
      s,
      [](bool waits, bool tile, bool from, bool next, bool more) {
        return waits ? from : tile ? next : more;
      },
      idle, begins_tile, in.second, next_seconds,
      add(s, seconds.q(), s.constant(walked_pixels, places))));
  out.second = second;
  out.part = part;
  static_assert(CorePlan::read_waits == 2);
  out.reads = reg(s, reg(s, s.net(issues | second), {.reset = in.rst}), {.reset = in.rst});

  // The ring: every set of a tile reads the same words, and maybe every repetition of its taps.
  const std::uint32_t word_bits = p.word_bits();
  const Bit has_weight = ~Bit(in.maximum);
  Reg<UInt> weight(s, word_bits, {.enable = s.net(issues & has_weight), .reset = in.rst}),
      tile_weight(s, word_bits, {.enable = s.net(ends_tile & has_weight), .reset = in.rst});
  const UInt next_weight = increment(s, weight.q());
  const Net returns = s.net((ends | (repeat_moves & in.again[0])) & ~ends_tile);
  weight.next(mux(s, returns, tile_weight.q(), next_weight));
  tile_weight.next(next_weight);
  out.weight = weight.q();

  // A clock later: the tap. Two more for its place and its bounds.
  const std::vector<Word> bounds(in.tap_bounds.rbegin(), in.tap_bounds.rend());
  std::vector<Word> fields(bounds);
  fields.emplace_back(in.tap_offset);
  const UInt of_tap = Memory{.depth = static_cast<std::uint32_t>(2 * EngineShape::most_taps),
                             .width = places + 4 * coordinate_bits,
                             .style = ir::memory::block,
                             .read = ir::memory::registered,
                             .write_enable = in.tap_write,
                             .write_address = in.tap_number,
                             .write_data = cat(s, fields),
                             .read_address = cat(s, {bits(s, {in.tap_bank}), tap_number})}
                          .add_to(s);
  const UInt offset = of_tap.slice(0, places);
  const auto bound = [&](std::uint32_t i) {
    return of_tap.slice(places + i * coordinate_bits, coordinate_bits);
  };
  const UInt with_block = reg(s, add(s, place.q(), of_block)), repeat_later = reg(s, of_repeat);
  const UInt with_tap = reg(s, add(s, with_block, offset)), repeat_last = reg(s, repeat_later);
  const UInt walked = add(s, with_tap, repeat_last);
  const Net reads_second = delay(s, second, 2), reads = s.net(in.m_read | reads_second);
  const UInt moved = mux(s, reads_second, delay(s, seconds.q(), 2), in.m_from);
  const UInt index = reg(s, mux(s, reads, moved, walked));

  std::vector<Net> inside;
  const Net restarts = s.net(idle | ends_tile);
  for (std::uint32_t lane = 0; lane < walked_pixels; ++lane) {
    const Coordinate at(s, lane, in.pitch, ends, restarts);
    const UInt x = reg(s, at.x()),
               y = reg(s, lut(
                              s, [](bool a, bool b) { return a || b; }, at.y(), repeated));
    const Net lines = reg(s, at_least(s, y, bound(0))), above = reg(s, less(s, y, bound(1))),
              columns = reg(s, at_least(s, x, bound(2))), before = reg(s, less(s, x, bound(3)));
    inside.push_back(reg(s, s.net(reads | (lines & above & columns & before))));
  }

  // The rows of the banks. Those before the bank of the first pixel have the next row.
  const UInt rotation = index.slice(0, 2), row = index.slice(2, p.bank_bits());
  const auto padding = static_cast<std::uint64_t>(p.padding_row());
  for (std::uint32_t bank = 0; bank < walked_pixels; ++bank) {
    const Net is_next = bank == walked_pixels - 1
                            ? ir::net_zero
                            : look_up(
                                  s, 1, [&](unsigned r) { return r > bank; }, rotation.nets())[0];
    const UInt here = bank == walked_pixels - 1 ? row : increment(s, row, is_next);
    std::vector<Net> of{rotation[0], rotation[1]};
    of.insert(of.end(), inside.begin(), inside.end());
    const Net is_inside = look_up(
        s, 1, [&](unsigned i) { return i >> (2 + ((bank + walked_pixels - (i & 3)) & 3)) & 1; },
        of)[0];
    out.rows.push_back(reg(s, mux(s, is_inside, here, s.constant(padding, p.bank_bits()))));
  }
  out.rotation = reg(s, rotation);
  return out;
}

}  // namespace kumiki::gen::engine
