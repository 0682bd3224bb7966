// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/memory_queue.h"
#include "gen/layers/engine/hardware/core_parts.h"
#include "gen/layers/engine/hardware/normaliser.h"
#include "gen/layers/pipeline/machines/groups.h"
#include "gen/operators/layer_norm/machine.h"
#include "gen/operators/layer_norm/parts.h"
#include "gen/operators/softmax/parts.h"

namespace kumiki::gen::engine {
namespace {

using graph::NormIntegers;
using graph::SoftmaxIntegers;

constexpr std::uint32_t least_depth = 512;  // of a block RAM

// The places of a map word by word: blocks of a pixel, then the next pixel.
struct Places {
  UInt place;
  Net ends_pixel, is_last;
};
Places build_places(Scope& s, const UInt& first, const UInt& step, const UInt& blocks,
                    const UInt& pixels, Net starts, Net moves) {
  const Loop block(s, blocks, moves, starts);
  const Net ends = s.net(moves & block.last());
  const Loop of_pixels(s, pixels, ends, starts);
  Reg<UInt> pixel(s, first.width(), {.enable = s.net(starts | ends)}),
      place(s, first.width(), {.enable = s.net(starts | moves)});
  const UInt next_pixel = increment(s, pixel.q());
  pixel.next(mux(s, starts, first, next_pixel));
  place.next(mux(s, starts, first, mux(s, block.last(), next_pixel, add(s, place.q(), step))));
  return {place.q(), block.last(), s.net(block.last() & of_pixels.last())};
}

// The beats of words, of which the last one of a pixel may have fewer parts.
struct Parts {
  UInt part;  // none of a word that has one
  Net ends_word;
};
Parts build_parts(Scope& s, const NormaliserPlan& p, const UInt& last_part, Net ends_pixel,
                  Net moves, Net reset) {
  if (p.parts == 1) return {{}, ir::net_one};
  Wire<Net> restarts(s);
  const Cycle part(s, p.parts, moves, restarts);
  Bit is_last_part = ends_pixel;
  for (std::uint32_t bit = 0; bit < last_part.width(); ++bit)
    is_last_part = is_last_part & ~(part.at()[bit] ^ last_part[bit]);
  const Net ends = s.net(part.last() | is_last_part);
  restarts.drive(reset | (moves & ends));
  return {part.at(), ends};
}

// All beats of a pixel, from the clock after `begins` on.
struct Pass {
  Net runs, first, last;
};
Pass build_pass(Scope& s, const UInt& beats, Net begins, Net reset) {
  Reg<Net> runs(s, {.reset = reset});
  const Loop beat(s, beats, runs, begins);
  runs.next(begins | (runs & ~beat.last()));
  return {runs, reg(s, begins), s.net(runs & beat.last())};
}

// Counts beats of a memory.
UInt pointer(Scope& s, std::uint32_t depth, Net moves, Net reset) {
  Reg<UInt> at(s, address_width(depth), {.enable = moves, .reset = reset});
  at.next(increment(s, at.q()));
  return at.q();
}

class NormaliserBuilder {
 public:
  NormaliserBuilder(Scope& s, const NormaliserPlan& plan, const NormaliserIn<Hardware>& in)
      : s_(s),
        p_(plan),
        in_(in),
        lanes_(static_cast<std::size_t>(plan.lanes)),
        softmax_(reg(s, in.is_softmax[0])),
        on_way_(s, address_width(plan.room) + 1, {.reset = in.rst}) {}

  NormaliserOut<Hardware> run() {
    NormaliserOut<Hardware> out{};
    Reg<Net> asking(s_, {.reset = in_.rst}), busy(s_, {.reset = in_.rst});
    out.busy = busy.q();
    out.asks = asking;
    const Net asks = s_.net(asking & in_.may_ask);
    const Places asked =
        build_places(s_, in_.from, in_.from_step, in_.blocks, in_.pixels, in_.start, asks);
    asking.next(in_.start | (asking & ~(asks & asked.is_last)));
    out.ask_place = asked.place;

    Wire<Net> writes(s_), ends_word(s_);
    const Net takes = take(out, busy);
    on_way_.next(step_by_one(s_, on_way_.q(), takes, writes));
    passes();
    entries(out);
    numbers();
    sums();
    const std::vector<UInt> beat = results();

    const MemoryQueue queue(
        s_, static_cast<std::uint32_t>(p_.room), ir::memory::block,
        after(late_.runs, NormaliserPlan::results - NormaliserPlan::factors + 2), writes, in_.rst);
    writes.drive(queue.valid() & in_.may_write);
    const Net ends_place = s_.net(writes & ends_word);
    const Places written =
        build_places(s_, in_.to, in_.to_step, in_.blocks, in_.pixels, in_.start, ends_place);
    const Parts part = build_parts(s_, p_, in_.last_part, written.ends_pixel, writes, in_.rst);
    ends_word.drive(part.ends_word);
    const UInt data = queue.pass(joined(beat));
    for (std::size_t lane = 0; lane < lanes_; ++lane) out.data.push_back(byte(data, lane));
    out.writes = writes;
    out.write_place = written.place;
    std::vector<Net> parts;
    for (std::int64_t i = 0; i < p_.parts; ++i)
      parts.push_back(p_.parts == 1 ? ir::net_one
                                    : equals(s_, part.part, static_cast<std::uint64_t>(i)));
    out.write_parts = bits(s_, parts);
    busy.next(in_.start | (busy & ~(ends_place & written.is_last)));
    return out;
  }

 private:
  Net after(Net n, std::int64_t clocks) { return later(s_, n, clocks, in_.rst); }
  UInt joined(const std::vector<UInt>& low_to_high) {
    return cat(s_, std::vector<Word>(low_to_high.rbegin(), low_to_high.rend()));
  }
  static UInt byte(const UInt& of, std::size_t i) {
    return of.slice(8 * static_cast<std::uint32_t>(i), 8);
  }
  UInt constant(std::int64_t number, std::uint32_t width) {
    return s_.constant(arith::raw_of(number, width), width);
  }

  // Beats that are taken, and the same a clock later.
  Net take(NormaliserOut<Hardware>& out, Net busy) {
    const Net comes = s_.net(in_.word_valid & busy & ~on_way_.q().msb());
    Wire<Net> takes(s_), takes_word(s_);
    out.takes = takes_word;
    const Loop block(s_, in_.blocks, takes_word, s_.net(in_.start | in_.rst));
    const Parts part = build_parts(s_, p_, in_.last_part, block.last(), takes, in_.rst);
    const Net is_last = s_.net(block.last() & part.ends_word);
    // Divisions need so many clocks.
    Reg<UInt> pause(s_, pause_bits, {.reset = in_.rst});
    Reg<Net> waits(s_, {.reset = in_.rst});
    takes.drive(comes & ~(is_last & waits));
    takes_word.drive(comes & part.ends_word & ~(is_last & waits));
    ends_ = s_.net(comes & is_last & ~waits);
    pause.next(
        mux(s_, ends_, constant(NormaliserPlan::pace - 1, pause_bits),
            masked(s_, any_of(s_, pause.q()), add(s_, pause.q(), constant(-1, pause_bits)))));
    waits.next(softmax_ & (ends_ | any_of(s_, pause.q().slice(1, pause_bits - 1))));
    Reg<Net> is_first(s_, {.init = 1, .enable = takes, .reset = in_.rst});
    is_first.next(is_last);
    is_first_ = is_first;
    takes_ = takes;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      std::vector<UInt> of_parts;
      for (std::size_t i = 0; i < static_cast<std::size_t>(p_.parts); ++i)
        of_parts.push_back(in_.word[i * lanes_ + lane]);
      beat_.push_back(reg(s_, p_.parts == 1
                                  ? of_parts[0]
                                  : select(s_, part.part, std::span<const UInt>(of_parts))));
    }
    return takes;
  }

  // When each pass over the beats of a pixel runs: the numbers less the largest one; `there`: their
  // sums are; the results.
  void passes() {
    below_pass_ = build_pass(s_, in_.beats, after(ends_, p_.reads() - 1), in_.rst);
    there_ = after(below_pass_.last, p_.sums());
    constexpr int read_clocks = 2;
    result_pass_ = build_pass(s_, in_.beats,
                              after(there_, NormaliserPlan::numbers - read_clocks - 1), in_.rst);
    constexpr int later_on = NormaliserPlan::factors - NormaliserPlan::numbers;
    late_ = {after(result_pass_.runs, later_on), ir::net_zero, after(result_pass_.last, later_on)};
  }

  // Entries come one after the other, for all lanes or for one of them.
  void entries(NormaliserOut<Hardware>& out) {
    const Net restarts = s_.net(in_.rst | in_.e_restarts);
    const Cycle lane(s_, p_.lanes, in_.e_write, restarts);
    const Loop all(s_, in_.entries, in_.e_write, in_.e_restarts);
    out.e_ends = s_.net(in_.e_write & all.last());
    const UInt address = pointer(s_, 1u << p_.entry_address_bits(),
                                 s_.net(in_.e_write & (softmax_ | lane.last())), restarts);
    for (std::size_t i = 0; i < lanes_; ++i)
      tables_.push_back(
          {.depth = 1u << p_.entry_address_bits(),
           .width = NormaliserPlan::entry_bits,
           .read = ir::memory::twice_registered,
           .write_enable = s_.net(in_.e_write & (softmax_ | equals(s_, lane.at(), i))),
           .write_address = address,
           .write_data = in_.e_data});
  }

  // Numbers less the largest one of their pixel, or as they are, three clocks after they are read;
  // 0 with one more bit past the last channel. Each lane is a clock later than the one before it.
  void numbers() {
    const Net comes = after(takes_, 1), is_end = reg(s_, ends_);
    std::vector<Net> past;
    std::vector<UInt> beat;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      past.push_back(
          lane == 0 ? ir::net_zero
                    : reg(s_, less(s_, in_.last_lane, s_.constant(lane, in_.last_lane.width()))));
      beat.push_back(reg(s_, beat_[lane], {.init = 0x80, .reset = s_.net(past[lane] & is_end)}));
    }
    const int clocks = 2 + p_.tree_clocks();
    const pipeline::Largest so_far =
        pipeline::largest_so_far(s_, pipeline::largest_of(s_, std::move(beat), true), true,
                                 after(is_first_, clocks), after(takes_, clocks));
    const UInt largest =
        reg(s_, so_far.number, {.enable = after(ends_, clocks + 1), .reset = s_.net(~softmax_)});

    const auto depth =
        std::max(least_depth, std::bit_ceil(static_cast<std::uint32_t>(2 * p_.most_beats() + 16)));
    const UInt read = Memory{.depth = depth,
                             .width = 8 * static_cast<std::uint32_t>(lanes_),
                             .read = ir::memory::twice_registered,
                             .write_enable = comes,
                             .write_address = pointer(s_, depth, comes, in_.rst),
                             .write_data = joined(beat_),
                             .read_address = pointer(s_, depth, below_pass_.runs, in_.rst)}
                          .add_to(s_);
    const Net ends = later(s_, below_pass_.last, 2);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const Net is_past = s_.net(past[lane] & ends);
      const UInt below = reg(s_, sub(s_, byte(read, lane), largest), {.reset = is_past});
      below_.push_back(delay(s_, cat(s_, {Word(bits(s_, {reg(s_, is_past)})), Word(below)}),
                             static_cast<std::uint32_t>(lane)));
    }
  }

  // The sum of a pixel's entries, or 2^25 times that of its numbers, plus that of their squares.
  void sums() {
    const std::uint32_t width = p_.entry_address_bits();
    // Entries of channels, for the results.
    Reg<UInt> beat(s_, width, {.enable = late_.runs, .reset = s_.net(in_.rst | late_.last)});
    beat.next(increment(s_, beat.q()));
    const Net sums_numbers = s_.net(~softmax_);
    Word cascade;
    UInt sum;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      Memory table = tables_[lane];
      table.read_address = mux(s_, softmax_, UInt(zext(s_, below_[lane], width)), beat.q());
      const UInt entry = table.add_to(s_);
      entries_.push_back(entry);
      const SInt number = as_signed(below_[lane].slice(0, 8));
      Dsp48e2 cell{.attributes = {.areg = 0,
                                  .acascreg = 0,
                                  .breg = 2,
                                  .bcascreg = 2,
                                  .amultsel = ir::dsp48e2::AMultSel::ad,
                                  .use_mult = ir::dsp48e2::UseMult::dynamic},
                   .a = s_.signed_constant(std::int64_t{1} << pipeline::MomentsPlan::squares_bits,
                                           dsp48e2.a),
                   .b = sext(s_, number, dsp48e2.b),
                   .c = zext(s_, entry.slice(0, SoftmaxIntegers::entry_bits), dsp48e2.c),
                   .d = sext(s_, number, dsp48e2.d),
                   .pcin = cascade,
                   .inmode = 0b00100};  // A + D
      // M, or C through Y; the slice below; P in the last one, but for the first beat.
      const bool is_last = lane + 1 == lanes_;
      const Net adds =
          is_last ? delay(s_, s_.net(~below_pass_.first), static_cast<std::uint32_t>(p_.sums() - 3))
                  : ir::net_zero;
      const Net below = lane == 0 ? ir::net_zero : ir::net_one;
      cell.opmode_nets = bits(s_, {sums_numbers, ir::net_zero, ir::net_one, softmax_, below,
                                   ir::net_zero, ir::net_zero, adds, ir::net_zero});
      if (is_last) cell.cep = after(below_pass_.runs, p_.sums() - 2);
      const auto out = cell.add_to(s_);
      cascade = out.pcout;
      sum = as_unsigned(out.p);
    }
    sum_ = reg(s_, sum.slice(0, static_cast<std::uint32_t>(pipeline::MomentsPlan::word().bits)),
               {.enable = after(below_pass_.last, p_.sums() - 1)});
  }

  // R of a pixel, `root` clocks after its sum; n and S1 times 2^(u + x), or 0 and -2^21, with which
  // a lane makes R * 2^4.
  struct OfPixel {
    UInt root;
    SInt size, sum;
  };
  OfPixel of_pixel() {
    constexpr std::uint32_t squares_bits = pipeline::MomentsPlan::squares_bits,
                            sum_bits = pipeline::RootPlan::sum_bits;
    const UInt squares = sum_.slice(0, squares_bits);
    const SInt sum = as_signed(sum_.slice(squares_bits, sum_bits));
    // Times 2^point, two bits of it in a clock.
    UInt shifted = variance_of(s_, squares, sum, in_.size).slice(0, NormaliserPlan::epsilon_bits);
    for (std::uint32_t bit = 0; bit < in_.point.width(); bit += 2) {
      std::vector<UInt> items;
      for (std::uint32_t by = 0; by < 4; ++by) {
        const std::uint32_t places = by << bit;
        items.push_back(places < shifted.width()
                            ? raised(s_, shifted.slice(0, shifted.width() - places), places)
                            : s_.constant(0, shifted.width()));
      }
      shifted = reg(s_, select(s_, in_.point.slice(bit, 2), std::span<const UInt>(items)));
    }
    const UInt wide = zext(s_, shifted, dsp48e2.p);
    const auto total = Dsp48e2{.attributes = {.mreg = 0, .use_mult = ir::dsp48e2::UseMult::none},
                               .a = wide.slice(dsp48e2.b, dsp48e2.a),
                               .b = wide.slice(0, dsp48e2.b),
                               .c = zext(s_, in_.epsilon, dsp48e2.c),
                               .opmode = 0b11'11}
                           .add_to(s_);
    const ReciprocalRoot root =
        reciprocal_root(s_, as_unsigned(total.p).slice(0, NormaliserPlan::epsilon_bits),
                        NormaliserPlan::root_steps);

    // Two units divide in turn.
    constexpr int divides = NormaliserPlan::division_bits + 2;
    Reg<Net> turn(s_, {.enable = there_, .reset = in_.rst});
    turn.next(s_.net(~turn));
    std::vector<UInt> quotients;
    const UInt twice_first =
        zext(s_, raised(s_, in_.factor, SoftmaxIntegers::shift + 1 - NormaliserPlan::division_bits),
             dsp48e2.p);
    for (const bool is_second : {false, true})
      quotients.push_back(divided(s_, s_.net(there_ & (is_second ? Bit(turn) : ~turn)),
                                  sum_.slice(0, softmax_sum_bits), twice_first,
                                  NormaliserPlan::division_bits));
    const UInt quotient = mux(s_, delay(s_, turn.q(), divides), quotients[1], quotients[0]);
    const UInt made = reg(
        s_, mux(s_, softmax_, quotient, UInt(zext(s_, root.root, NormaliserPlan::division_bits))),
        {.enable = s_.net(~softmax_ | after(there_, divides))});

    // u is there 14 clocks after the sum.
    constexpr int shift_there = 14, product = NormaliserPlan::numbers - 3;
    const std::uint32_t shift_bits = NormaliserPlan::root_steps + 1;
    const UInt shift = delay(s_,
                             reg(s_, add(s_, UInt(zext(s_, root.shift, shift_bits)),
                                         UInt(zext(s_, in_.more, shift_bits)))),
                             product - shift_there - 2);
    std::vector<Net> powers;
    for (std::uint32_t i = 0; i < NormIntegers::difference_bits - 1; ++i)
      powers.push_back(reg(s_, equals(s_, shift, i)));
    const UInt power = zext(s_, bits(s_, powers), dsp48e2.a);
    const Net multiplies = s_.net(~softmax_);
    const auto opmode = [&](Net constant) {
      return bits(s_, {multiplies, ir::net_zero, multiplies, ir::net_zero, ir::net_zero,
                       ir::net_zero, ir::net_zero, ir::net_zero, constant});
    };
    const auto size = Dsp48e2{.attributes = {.use_mult = ir::dsp48e2::UseMult::dynamic},
                              .a = power,
                              .b = zext(s_, in_.size, dsp48e2.b),
                              .opmode_nets = opmode(ir::net_zero)}
                          .add_to(s_);
    const auto raised_sum =
        Dsp48e2{.attributes = {.areg = 2,
                               .acascreg = 2,
                               .breg = 2,
                               .bcascreg = 2,
                               .use_mult = ir::dsp48e2::UseMult::dynamic,
                               .rnd = arith::raw_of(-(std::int64_t{1} << 21), dsp48e2.p)},
                .a = power,
                .b = delay(s_, sum, product),
                .opmode_nets = opmode(softmax_)}
            .add_to(s_);
    return {.root = made,
            .size = as_signed(size.p.slice(0, NormIntegers::difference_bits)),
            .sum = raised_sum.p};
  }

  std::vector<UInt> results() {
    // Numbers and entries of softmax wait in a memory of each lane.
    const auto depth = std::max(
        least_depth, std::bit_ceil(static_cast<std::uint32_t>(p_.most_beats() + p_.lanes + 48)));
    Net comes = after(below_pass_.runs, 5);
    UInt to = pointer(s_, depth, comes, in_.rst);
    const UInt from =
        pointer(s_, depth, s_.net(mux(softmax_, late_.runs, result_pass_.runs)), in_.rst);
    const OfPixel pixel = of_pixel();
    constexpr std::uint32_t low_bits = NormIntegers::part_bits,
                            high_bits = NormaliserPlan::division_bits - low_bits;
    const UInt lower = pixel.root.slice(0, low_bits),
               upper = reg(s_, pixel.root.slice(low_bits, high_bits));
    std::vector<UInt> made;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const UInt number = later(s_, below_[lane].slice(0, 8), 2),
                 entry = entries_[lane].slice(0, SoftmaxIntegers::entry_bits);
      const UInt waited = Memory{.depth = depth,
                                 .width = 8 + SoftmaxIntegers::entry_bits,
                                 .read = ir::memory::twice_registered,
                                 .write_enable = comes,
                                 .write_address = to,
                                 .write_data = cat(s_, {Word(entry), Word(number)}),
                                 .read_address = from}
                              .add_to(s_);
      comes = after(comes, 1);
      to = reg(s_, to);
      const auto difference = Dsp48e2{.attributes = {.carryinreg = 0},
                                      .a = sext(s_, pixel.size, dsp48e2.a),
                                      .b = sext(s_, as_signed(waited.slice(0, 8)), dsp48e2.b),
                                      .c = pixel.sum,
                                      .carryin = ir::net_one,
                                      .opmode = OpMode::with_c,
                                      .alumode = OpMode::others_minus_z}
                                  .add_to(s_);
      constexpr std::uint32_t factor_bits = NormaliserPlan::factor_bits;
      const UInt factor = mux(
          s_, softmax_, UInt(zext(s_, waited.slice(8, SoftmaxIntegers::entry_bits), factor_bits)),
          entries_[lane].slice(0, factor_bits));
      made.push_back(normal_result(
          s_,
          {.difference = as_signed(difference.p.slice(0, NormIntegers::difference_bits)),
           .lower = lower,
           .upper = upper,
           .factor = as_signed(factor),
           .bias = as_signed(
               later(s_, entries_[lane].slice(factor_bits, NormaliserPlan::bias_bits), 2))},
          {8, true}, ir::net_one));
    }
    return made;
  }

  static constexpr std::uint32_t pause_bits = 4, softmax_sum_bits = 34;
  static_assert(NormaliserPlan::pace <= 1 << pause_bits);
  Scope& s_;
  const NormaliserPlan& p_;
  const NormaliserIn<Hardware>& in_;
  std::size_t lanes_;
  Net softmax_;
  Reg<UInt> on_way_;
  Net takes_, is_first_, ends_;  // of a beat: it is taken; the first one, and the last, of a pixel
  std::vector<UInt> beat_;       // a clock later, by lane
  Pass below_pass_, result_pass_, late_;
  Net there_;
  std::vector<Memory> tables_;
  std::vector<UInt> below_, entries_;  // by lane
  UInt sum_;
};

std::vector<UInt> bytes_of(std::int64_t count) {
  return std::vector<UInt>(static_cast<std::size_t>(count), UInt::shape(8));
}

}  // namespace

std::string NormaliserPlan::module_name() const {
  return fmt::format("engine_normaliser_l{}p{}", lanes, parts);
}

NormaliserIn<Hardware> input_shape(const NormaliserPlan& p) {
  NormaliserIn<Hardware> in;
  in.from = in.from_step = in.to = in.to_step = in.pixels = UInt::shape(p.place_bits);
  in.blocks = UInt::shape(p.block_bits());
  in.beats = UInt::shape(p.beat_bits());
  in.entries = UInt::shape(10);
  in.last_part = UInt::shape(p.part_bits());
  in.last_lane = UInt::shape(p.lane_bits());
  in.is_softmax = UInt::shape(1);
  in.factor = UInt::shape(9);
  in.size = UInt::shape(11);
  in.point = UInt::shape(6);
  in.epsilon = UInt::shape(NormaliserPlan::epsilon_bits);
  in.more = UInt::shape(5);
  in.e_data = UInt::shape(NormaliserPlan::entry_bits);
  in.word = bytes_of(p.lanes * p.parts);
  return in;
}

NormaliserOut<Hardware> output_shape(const NormaliserPlan& p) {
  NormaliserOut<Hardware> out;
  out.ask_place = out.write_place = UInt::shape(p.place_bits);
  out.write_parts = UInt::shape(static_cast<std::uint32_t>(p.parts));
  out.data = bytes_of(p.lanes);
  return out;
}

NormaliserOut<Hardware> build_normaliser(Scope& s, const NormaliserPlan& p,
                                         const NormaliserIn<Hardware>& in) {
  s.module().set_about(
      fmt::format("softmax and layer normalisation, {} channels in a clock", p.lanes));
  return NormaliserBuilder(s, p, in).run();
}

}  // namespace kumiki::gen::engine
