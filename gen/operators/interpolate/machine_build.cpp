// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "gen/hdl/cycle.h"
#include "gen/layers/pipeline/machines/add_chosen.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/layers/pipeline/machines/results.h"
#include "gen/operators/interpolate/machine.h"

namespace kumiki::gen::pipeline {
namespace {

using Pair = std::array<UInt, 2>;

// Counts the words of a line in the memory of a column's parity. `next`: the next column has
// another word there.
UInt build_place(Scope& s, const InterpolatePlan& p, Net moves, Net block_ends, Net next,
                 Net restarts) {
  const auto width =
      static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint64_t>(p.words_of_a_line())));
  if (width == 0) return {};
  Reg<UInt> at(s, width, {.enable = moves, .reset = restarts});
  at.next(add_chosen(
      s, at.q(), {block_ends, next},
      [&](unsigned flags) -> std::int64_t { return flags == 1 ? 1 - p.stream.blocks() : 1; },
      ir::net_zero));
  return at.q();
}

// Where numbers are written: lines to the memories in turn, columns too.
struct Writing {
  Net comes;                                  // a line ends
  std::array<std::array<Net, 2>, 2> enables;  // by parity of line and column
  UInt address;
};

Writing build_writing(Scope& s, const InterpolatePlan& p, Net valid, Net ready, Net reset) {
  const Net takes = s.net(valid & ready);
  const Cycle block(s, p.stream.blocks(), takes, reset);
  const Cycle column(s, p.stream.width, block.ends(), reset);
  const Cycle line(s, 4, column.ends(), reset);
  const Net is_odd = p.stream.width > 1 ? column.at()[0] : ir::net_zero;
  const UInt place = build_place(s, p, takes, block.last(), is_odd, s.net(column.ends() | reset));
  Writing w{.comes = column.ends(), .enables = {}, .address = {}};
  const Net slot = line.at()[1];
  w.address = place.width() == 0 ? bits(s, {slot}) : cat(s, {Word(bits(s, {slot})), Word(place)});
  for (const std::size_t down : {0, 1})
    for (const std::size_t right : {0, 1})
      w.enables[down][right] = s.net(takes & (down == 1 ? Bit(line.at()[0]) : ~line.at()[0]) &
                                     (right == 1 ? Bit(is_odd) : ~is_odd));
  return w;
}

// a, or a + b.
UInt plus(Scope& s, const UInt& a, const UInt& b, Net adds) {
  const UInt propagate = lut_o6(
      s, [](bool x, bool y, bool use) { return x != (y && use); }, SourceLocation::current(), a, b,
      adds);
  return carry_chain(s, propagate, a, ir::net_zero).sum;
}

// Numbers of a lane with some bits of fraction.
struct Between {
  UInt number;  // signed
  int late = 0;
};

// (1 - w) * a + w * b, with more bits of fraction: b counts w of so many parts.
Between build_between(Scope& s, const std::array<Between, 2>& ends, std::vector<Flag>& weight) {
  const auto bits_of_weight = static_cast<std::uint32_t>(weight.size() - 1);
  const std::uint32_t width = ends[0].number.width() + bits_of_weight;
  UInt more = UInt(reg(s, sub_wide(s, as_signed(ends[1].number), as_signed(ends[0].number))));
  UInt sum = reg(s, ends[0].number);
  if (bits_of_weight > 0) sum = cat(s, {Word(sum), Word(s.constant(0, bits_of_weight))});
  int late = ends[0].late + 1;
  for (std::uint32_t bit = 0; bit < weight.size(); ++bit, ++late) {
    UInt shifted = more;
    if (bit > 0) shifted = cat(s, {Word(more), Word(s.constant(0, bit))});
    shifted = shifted.width() < width ? UInt(sext(s, as_signed(shifted), width))
                                      : shifted.slice(0, width);
    sum = reg(s, plus(s, sum, shifted, weight[bit].after(late)));
    if (bit + 1 < weight.size()) more = reg(s, more);
  }
  return {sum, late};
}

// The number for a sum.
UInt build_rounded(Scope& s, const InterpolatePlan& p, const UInt& sum) {
  const auto fraction = static_cast<std::uint32_t>(p.fraction());
  const auto width = static_cast<std::uint32_t>(p.stream.format.bits);
  if (fraction == 0 || (p.truncates && !p.stream.format.is_signed))
    return reg(s, sum.slice(fraction, width));
  const std::uint64_t half = (std::uint64_t{1} << (fraction - 1)) - 1;
  UInt more = s.constant(half, sum.width());
  Net tie = p.zero_point % 2 == 0 ? sum[fraction] : s.net(~sum[fraction]);
  if (p.truncates) {
    // A negative sum is rounded up.
    more = zext(s, bits(s, std::vector(fraction, sum.msb())), sum.width());
    tie = ir::net_zero;
  }
  return reg(s, add(s, sum, more, tie).slice(fraction, width));
}

// The bits of the weights of the second of two neighbours, at the position of a counter.
std::vector<Net> weights_of(const Cycle& position, const BetweenAxis& axis,
                            const std::vector<bool>& swapped) {
  std::vector<Net> all;
  for (int bit = 0; bit <= axis.bits; ++bit) {
    std::vector<bool> table;
    for (std::size_t i = 0; i < axis.weights.size(); ++i) {
      const std::int32_t weight = swapped[i] ? (1 << axis.bits) - axis.weights[i] : axis.weights[i];
      table.push_back((weight >> bit & 1) != 0);
    }
    all.push_back(position.look_up(table));
  }
  return all;
}

// At each place of the axis: whether the next one begins behind another place of the map.
template <class PlaceOf>
std::vector<bool> steps_of(const BetweenAxis& axis, const PlaceOf& place_of) {
  std::vector<bool> steps(axis.from.size(), false);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i)
    steps[i] = place_of(axis.from[i + 1]) != place_of(axis.from[i]);
  return steps;
}

}  // namespace

MachineOut<Hardware> build(Scope& s, const InterpolatePlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Net reset = in.rst;
  const Lines lines = p.schedule();
  Reg<Net> room(s, {.init = 1, .reset = reset});
  // Whole lines in the memories: less four, so that the highest bit says that there is room, and
  // with as many more as make it say that there are enough.
  const auto more = static_cast<std::uint64_t>(4 - p.needs());
  Reg<UInt> lacks(s, 3, {.init = 4, .reset = reset}), has(s, 3, {.init = more, .reset = reset});
  const Net ready = lacks.q().msb(), enough = has.q().msb();
  const Writing writing = build_writing(s, p, in.in_valid[0], ready, reset);

  const Net reads = s.net(room & enough);
  const Cycle block(s, p.stream.blocks(), reads, reset);
  const Cycle column(s, p.columns.size(), block.ends(), reset);
  const Cycle row(s, p.rows.size(), column.ends(), reset);
  const Net goes = column.ends();
  const auto same = [](std::int32_t from) { return from; };
  const Net next_line = row.look_up(steps_of(p.rows, same));
  const auto frees = [&](bool steps, bool ends) { return ends ? p.needs() : steps ? 1 : 0; };

  for (Reg<UInt>* held : {&lacks, &has})
    held->next(add_chosen(
        s, held->q(), {goes, next_line, row.last()},
        [&](unsigned flags) -> std::int64_t {
          return (flags & 1) == 0 ? 0 : -frees((flags & 2) != 0, (flags & 4) != 0);
        },
        writing.comes));
  Reg<UInt> top(s, 2, {.enable = goes, .reset = reset});  // place of the first line
  top.next(add_chosen(
      s, top.q(), {next_line, row.last()},
      [&](unsigned flags) -> std::int64_t { return frees((flags & 1) != 0, (flags & 2) != 0); },
      ir::net_zero));

  // Lines in turn are in memories in turn; the lower one of two may be in the first.
  const Net is_odd = top.q()[0];
  const Pair slots{bits(s, {s.net(top.q()[1] ^ is_odd)}), bits(s, {top.q()[1]})};
  const std::size_t sides = p.stream.width > 1 ? 2 : 1;
  std::array<Pair, 2> words;
  for (std::size_t right = 0; right < sides; ++right) {
    const auto word_of = [&](std::int32_t from) { return (from + (right == 0 ? 1 : 0)) / 2; };
    const UInt place =
        build_place(s, p, reads, block.last(), column.look_up(steps_of(p.columns, word_of)),
                    s.net(goes | reset));
    for (const std::size_t down : {0, 1})
      words[down][right] =
          Memory{.depth = static_cast<std::uint32_t>(2 * p.words_of_a_line()),
                 .width = static_cast<std::uint32_t>(p.stream.bits()),
                 .style = p.in_luts() ? ir::memory::distributed : ir::memory::block,
                 .read = p.in_luts() ? ir::memory::registered : ir::memory::twice_registered,
                 .write_enable = writing.enables[down][right],
                 .write_address = writing.address,
                 .write_data = joined(s, in.in_data),
                 .read_address =
                     place.width() == 0 ? slots[down] : cat(s, {Word(slots[down]), Word(place)})}
              .add_to(s);
  }

  // The weights of the memories of odd lines and of odd columns.
  std::vector<Flag> below, after;
  const std::vector<bool> all(p.rows.from.size(), true), none(p.rows.from.size(), false);
  const auto even = weights_of(row, p.rows, none), odd = weights_of(row, p.rows, all);
  for (std::size_t bit = 0; bit < even.size(); ++bit)
    below.emplace_back(s, s.net(mux(is_odd, odd[bit], even[bit])));
  std::vector<bool> swapped;
  for (const std::int32_t from : p.columns.from) swapped.push_back(from % 2 != 0);
  if (sides == 2)
    for (const Net weight : weights_of(column, p.columns, swapped)) after.emplace_back(s, weight);

  std::vector<Word> high_to_low;
  for (std::int64_t lane = p.stream.lanes; lane-- > 0;) {
    std::vector<Between> found;
    for (std::size_t right = 0; right < sides; ++right) {
      std::array<Between, 2> ends;
      for (const std::size_t down : {0, 1}) {
        const UInt number =
            lanes_of(words[down][right], p.stream.lanes)[static_cast<std::size_t>(lane)];
        ends[down] = {p.stream.format.is_signed ? number : zext(s, number, number.width() + 1),
                      p.clocks_of_a_memory()};
      }
      found.push_back(build_between(s, ends, below));
    }
    const Between sum = sides == 1 ? found[0] : build_between(s, {found[0], found[1]}, after);
    high_to_low.push_back(build_rounded(s, p, sum.number));
  }
  const Net arrives = later(s, reads, lines.results.clocks, reset);
  const Results results(s, lines.results, arrives, cat(s, high_to_low), in.out_ready, reset);
  room.next(results.room_next());
  return {.in_ready = {ready},
          .out_valid = results.valid(),
          .out_data = lanes_of(results.word(), p.stream.lanes)};
}

}  // namespace kumiki::gen::pipeline
