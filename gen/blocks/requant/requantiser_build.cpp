// SPDX-License-Identifier: Apache-2.0
// LUTs next to the slice supply the constants of a channel: its factor to A, and its offset,
// including the zero point and half a result, to C. Behind P there is only wiring, and a comparison
// with each end of the clamp.
#include "gen/blocks/requant/requantiser.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/arith/float_factor.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/blocks/requant/select.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hierarchy.h"

namespace kumiki::gen::requant {
namespace {

constexpr std::uint32_t low_bits = dsp48e2.shift, b_bits = dsp48e2.b, a_bits = dsp48e2.a,
                        c_bits = dsp48e2.c, most_factor_bits = 31;

class Channels {
 public:
  // The accumulator waits for the constants of its channel.
  Channels(Scope& s, const ChannelPlan& p, const LaneIn<Hardware>& in)
      : s_(s),
        p_(p),
        in_(in),
        acc_(delay(s, taken(p, in.acc), static_cast<std::uint32_t>(p.table_clocks()), in.en)) {}

  // The result, one clock before its register.
  UInt slices() {
    const auto latency = static_cast<std::uint32_t>(p_.slice_latency);
    const SInt sum = p_.narrow ? narrow() : p_.machine == Machine::one_slice ? one() : in_parts();
    s_.named("sum", sum);
    const auto width = static_cast<std::uint32_t>(p_.quotient_bits);
    std::vector<UInt> quotients;
    std::vector<UInt> ties;
    for (const int shift : p_.shifts) {
      const auto at = static_cast<std::uint32_t>(shift);
      const SInt q = as_signed(sum.slice(at, sum.width() - at));
      quotients.push_back(q.width() >= width ? q.slice(0, width) : UInt(sext(s_, q, width)));
      const bool odd = (p_.zero_point() & 1) != 0;
      const auto digits = static_cast<std::uint32_t>(p_.tie_bits(shift));
      const UInt first = UInt(sum).slice(at - digits, digits);
      const Net tie = !p_.has_ties() || at == 0 ? Net(ir::net_zero)
                      : p_.detects_ties()       ? detected_
                      : odd                     ? all_of(s_, first)
                                                : s_.net(~any_of(s_, first));
      ties.push_back(bits(s_, {tie}));
    }
    // Words needed in a later step are delayed with it.
    const ChannelPlan::Steps& steps = p_.steps_behind;
    std::uint32_t clock = latency;
    const auto wait = [&](int from, int to, std::vector<UInt*> words) {
      for (; from < to; ++from, ++clock)
        for (UInt* w : words) *w = reg(s_, *w, {.enable = in_.en});
    };
    std::vector<UInt*> all;
    for (UInt& word : quotients) all.push_back(&word);
    if (p_.has_ties())
      for (UInt& word : ties) all.push_back(&word);
    wait(steps.ties, steps.select, all);
    UInt q = quotients[0], tie = ties[0];
    if (quotients.size() > 1) {
      std::vector<std::uint64_t> which(p_.shift_of.begin(), p_.shift_of.end());
      const auto index_bits = static_cast<std::uint32_t>(
          arith::bits_for_count(static_cast<arith::Exact>(quotients.size())));
      const UInt index = of_channel(index_bits, clock, which);
      q = select(s_, index, std::span<const UInt>(quotients));
      tie = select(s_, index, std::span<const UInt>(ties));
    }
    if (p_.has_ties()) {
      wait(steps.select, steps.even, {&q, &tie});
      q = even(q, tie[0], clock);
      wait(steps.even, steps.compare, {&q});
    } else {
      wait(steps.select, steps.compare, {&q});
    }
    return clamped(q, clock);
  }

  UInt float_lane() {
    const auto result_bits = static_cast<std::uint32_t>(p_.request.result.bits);
    std::vector<std::uint64_t> parameters;
    for (const Channel& c : p_.request.channels) {
      const auto f = arith::float_factor(std::get<arith::FloatRule>(c.rule).scale);
      parameters.push_back(static_cast<std::uint64_t>(f.steps) << 58 |
                           std::uint64_t{f.factor} << 32 | arith::raw_of(c.bias, 32));
    }
    // The lane's results are signed: an unsigned result is reduced by 2^(bits - 1) there.
    const std::int64_t less =
        p_.request.result.is_signed ? 0 : std::int64_t{1} << (result_bits - 1);
    const auto constant = [&](arith::Exact value) {
      return s_.constant(arith::raw_of(static_cast<std::int64_t>(value) - less, result_bits),
                         result_bits);
    };
    const UInt q = instantiate(s_, build_float_lane, p_.float_lane(),
                               FloatLaneIn<Hardware>{.en = in_.en,
                                                     .sum = UInt(sext(s_, acc_, 32)),
                                                     .parameter = of_channel(62, 0, parameters),
                                                     .zero = constant(p_.zero_point()),
                                                     .low = constant(p_.range().lo),
                                                     .high = constant(p_.range().hi)})
                       .q;
    if (less == 0) return q;
    return cat(s_, {bits(s_, {s_.net(~Bit(q.msb()))}), q.slice(0, result_bits - 1)});
  }

 private:
  // What the slices multiply.
  static SInt taken(const ChannelPlan& p, const SInt& acc) {
    if (!p.narrow) return acc;
    const auto low = static_cast<std::uint32_t>(p.narrow->low_bits);
    return as_signed(acc.slice(low, std::min(acc.width() - low, b_bits)));
  }

  UInt of_channel(std::uint32_t width, std::uint32_t later,
                  const std::vector<std::uint64_t>& values) {
    if (in_.channel.empty()) return s_.constant(values[0], width);
    return constants(s_, width, values, delay(s_, in_.channel[0], later, in_.en), in_.en);
  }

  // The same by channel and by the accumulator's low bits, values[channel][low]. So many channels
  // as a LUT has inputs for stay in LUTs.
  UInt of_low_bits(std::uint32_t width, std::uint32_t later,
                   const std::vector<std::vector<std::uint64_t>>& values) {
    const auto low = static_cast<std::uint32_t>(p_.narrow->low_bits);
    if (low == 0) {
      std::vector<std::uint64_t> of_channels;
      for (const auto& value : values) of_channels.push_back(value[0]);
      return of_channel(width, later, of_channels);
    }
    std::vector<std::uint64_t> all;
    for (std::size_t c = 0; c < std::size_t{1} << p_.channel_bits; ++c)
      for (const std::uint64_t value : values[c < values.size() ? c : 0]) all.push_back(value);
    const UInt digits = UInt(in_.acc).slice(0, low);
    const UInt index = in_.channel.empty() ? digits : UInt(cat(s_, {in_.channel[0], digits}));
    const auto early =
        static_cast<std::uint32_t>(clocks_of_constants(index.width()) - p_.table_clocks());
    return constants(s_, width, all, delay(s_, index, later - early, in_.en), in_.en,
                     p_.channel_bits <= index_bits_of_a_lut);
  }

  std::uint32_t factor_bits() const {
    return static_cast<std::uint32_t>(p_.request.limits.wide_bits - 1);
  }

  // The bits of every factor from `low` on.
  UInt factor(std::uint32_t low, std::uint32_t width) {
    std::vector<std::uint64_t> all;
    for (const auto& f : p_.forms)
      all.push_back(static_cast<std::uint64_t>(f.factor) >> low &
                    ((std::uint64_t{1} << width) - 1));
    return zext(s_, of_channel(width, 0, all), a_bits);
  }

  // The same for offsets, `later` clocks after the accumulator; the top part includes the sign.
  UInt offset(std::uint32_t low, std::uint32_t width, std::uint32_t later) {
    const auto part = [&](std::int64_t n) {
      return arith::raw_of(n >> low, static_cast<int>(width));
    };
    std::vector<std::uint64_t> above, below;
    for (const auto& f : p_.forms) {
      above.push_back(part(f.offset));
      below.push_back(part(f.offset_below));
    }
    const UInt of_above = of_channel(width, later, above);
    if (above == below) return of_above;
    return mux(s_, delay(s_, acc_.msb(), later, in_.en), of_channel(width, later, below), of_above);
  }

  // Constants need no delay, and a repeated bit one delay.
  UInt late(const UInt& word, std::uint32_t clocks) {
    std::vector<Net> nets(word.nets().begin(), word.nets().end()), once;
    for (const Net n : nets)
      if (!n.is_constant() && std::ranges::find(once, n) == once.end()) once.push_back(n);
    if (clocks == 0 || once.empty()) return word;
    const UInt delayed = delay(s_, bits(s_, once), clocks, in_.en);
    for (Net& n : nets)
      if (!n.is_constant())
        n = delayed[static_cast<std::uint32_t>(std::ranges::find(once, n) - once.begin())];
    return bits(s_, nets);
  }

  // Slice number `place` of a cascade: a times b, delayed by `place` clocks, plus the cascade
  // input.
  Dsp48e2 slice(std::uint32_t place, const UInt& a, const UInt& b) {
    Dsp48e2 dsp{.attributes = {.alumodereg = 0, .carryinselreg = 0, .inmodereg = 0, .opmodereg = 0},
                .a = late(a, place > 0 ? place - 1 : 0),
                .b = late(b, place > 0 ? place - 1 : 0),
                .opmode = 0b00'011'01'01,  // C and the product
                .enable = in_.en};
    if (place > 0) dsp.attributes.areg = dsp.attributes.breg = 2;
    return dsp;
  }

  SInt one() {
    Dsp48e2 dsp = slice(0, factor(0, factor_bits()), UInt(sext(s_, acc_, b_bits)));
    dsp.c = offset(0, c_bits, 1);
    return as_signed(dsp.add_to(s_).p.slice(0, static_cast<std::uint32_t>(p_.sum_bits)));
  }

  // The zeros below all of the numbers are no part of the tables.
  static int zeros_below(const std::vector<std::int64_t>& numbers) {
    std::uint64_t any = 0;
    for (const std::int64_t n : numbers) any |= static_cast<std::uint64_t>(n);
    return any == 0 ? 0 : std::countr_zero(any);
  }

  SInt narrow() {
    const arith::NarrowRules& rules = *p_.narrow;
    std::vector<std::int64_t> factors, offsets;
    arith::Interval all_offsets = arith::Interval::point(rules.channels[0].offsets[0]);
    for (const arith::NarrowRule& r : rules.channels) {
      factors.push_back(r.factor);
      offsets.insert(offsets.end(), r.offsets.begin(), r.offsets.end());
      for (const std::int64_t n : r.offsets)
        all_offsets = hull(all_offsets, arith::Interval::point(n));
    }
    // What all offsets have in common is added through W, if there is one.
    const int below_factors = zeros_below(factors), below_offsets = zeros_below(offsets);
    const arith::Exact unit = arith::power_of_two(below_offsets);
    const auto common =
        p_.request.limits.w_multiplexer
            ? arith::as_word(arith::floor_div(all_offsets.lo + all_offsets.hi, 2 * unit) * unit)
            : std::int64_t{0};
    const arith::Interval others{arith::floor_div(all_offsets.lo - common, unit),
                                 arith::floor_div(all_offsets.hi - common, unit)};
    const auto bits_of_offset = static_cast<std::uint32_t>(arith::signed_bits(others));
    std::vector<std::uint64_t> of_factors;
    std::vector<std::vector<std::uint64_t>> of_offsets;
    for (const arith::NarrowRule& r : rules.channels) {
      of_factors.push_back(static_cast<std::uint64_t>(r.factor) >> below_factors);
      of_offsets.emplace_back();
      for (const std::int64_t n : r.offsets)
        of_offsets.back().push_back(arith::raw_of((n - common) >> below_offsets, bits_of_offset));
    }
    const UInt factor =
        of_channel(factor_bits() - static_cast<std::uint32_t>(below_factors), 0, of_factors);
    Dsp48e2 dsp =
        slice(0, zext(s_, shifted(factor, below_factors), a_bits), UInt(sext(s_, acc_, b_bits)));
    dsp.c = sext(s_, as_signed(shifted(of_low_bits(bits_of_offset, 1, of_offsets), below_offsets)),
                 c_bits);
    if (p_.has_ties() && p_.detects_ties()) {
      const std::uint64_t ones = ((std::uint64_t{1} << rules.near_bits) - 1)
                                 << (p_.shifts[0] - rules.near_bits);
      dsp.attributes.use_pattern_detect = ir::dsp48e2::UsePatternDetect::patdet;
      dsp.attributes.mask = ~ones & ((std::uint64_t{1} << dsp48e2.p) - 1);
      dsp.attributes.pattern = (p_.zero_point() & 1) != 0 ? ones : 0;
    }
    if (p_.request.limits.w_multiplexer) {
      dsp.attributes.rnd = arith::raw_of(common, dsp48e2.p);
      dsp.opmode |= 0b10'000'00'00;
    }
    const auto out = dsp.add_to(s_);
    detected_ = out.patterndetect;
    return as_signed(out.p.slice(0, static_cast<std::uint32_t>(p_.sum_bits)));
  }

  // The word with zeros below it.
  UInt shifted(const UInt& word, int zeros) {
    return zeros == 0 ? word
                      : UInt(cat(s_, {word, s_.constant(0, static_cast<std::uint32_t>(zeros))}));
  }

  // In each slice that a shift follows, the lower 17 bits are digits of the sum. The last slice
  // takes the upper part of the offset through W; without W the first slice takes all of it.
  SInt in_parts() {
    const auto upper_factor = [&] { return factor(low_bits, most_factor_bits - low_bits); };
    std::vector<UInt> a, b;
    const UInt whole_factor = p_.splits_factor ? factor(0, low_bits) : factor(0, factor_bits());
    const auto upper_acc = [&] {
      return UInt(sext(s_, as_signed(acc_.slice(low_bits, acc_.width() - low_bits)), b_bits));
    };
    const UInt low_acc = p_.splits_accumulator ? zext(s_, acc_.slice(0, low_bits), b_bits)
                                               : UInt(sext(s_, acc_, b_bits));
    if (p_.machine == Machine::four_slices) {
      const UInt high_acc = upper_acc(), high_factor = upper_factor();
      a = {whole_factor, whole_factor, high_factor, high_factor};
      b = {low_acc, high_acc, low_acc, high_acc};
    } else {
      a = {whole_factor, p_.splits_factor ? upper_factor() : whole_factor};
      b = {low_acc, p_.splits_accumulator ? upper_acc() : low_acc};
    }
    const auto last = static_cast<std::uint32_t>(a.size() - 1);
    const std::uint32_t digits = last == 3 ? 2 * low_bits : low_bits;
    std::vector<Word> sum;
    Word below;
    for (std::uint32_t k = 0; k <= last; ++k) {
      Dsp48e2 dsp = slice(k, a[k], b[k]);
      // A shift after the first slice, and before the last one.
      if (k > 0) dsp.opmode = k == 2 ? 0b00'001'01'01 : 0b00'101'01'01;
      if (k > 0) dsp.pcin = below;
      if (k == 0)
        dsp.c =
            p_.offset_in_first() ? offset(0, c_bits, 1) : zext(s_, offset(0, digits, 1), c_bits);
      if (k == last && !p_.offset_in_first()) {
        dsp.opmode |= 0b11'000'00'00;
        dsp.c = offset(digits, c_bits, k + 1);
      }
      const auto out = dsp.add_to(s_);
      below = out.pcout;
      if (k == last)
        sum.insert(sum.begin(), UInt(out.p));
      else if (k != 1)
        sum.insert(sum.begin(), delay(s_, out.p.slice(0, low_bits), last - k, in_.en));
    }
    return as_signed(
        cat(s_, std::span<const Word>(sum)).slice(0, static_cast<std::uint32_t>(p_.sum_bits)));
  }

  UInt even(const UInt& q, Net tie, std::uint32_t latency) {
    std::vector<std::uint64_t> flags;
    for (std::size_t c = 0; c < p_.channels(); ++c) flags.push_back(p_.is_even(c) ? 1 : 0);
    const Net flag = of_channel(1, latency, flags)[0];
    return made_even(s_, q, Bit(tie) & flag, (p_.zero_point() & 1) != 0);
  }

  // The accumulator is outside of what the port holds, as a bit of `clock`; and its sign.
  struct Outside {
    Net is, below;
  };
  Outside outside(std::uint32_t clock) {
    if (!p_.has_outside()) return {ir::net_zero, ir::net_zero};
    const auto from = static_cast<std::uint32_t>(p_.narrow->low_bits) + b_bits - 1;
    const UInt above = UInt(in_.acc).slice(from, in_.acc.width() - 1 - from);
    const Bit is = some_differ(s_, above.nets(), in_.acc.msb());
    return {delay(s_, reg(s_, is, {.enable = in_.en}), clock - 1, in_.en),
            delay(s_, in_.acc.msb(), clock, in_.en)};
  }

  UInt clamped(const UInt& q, std::uint32_t clock) {
    const auto width = static_cast<std::uint32_t>(p_.request.result.bits);
    const auto lo = static_cast<std::int64_t>(p_.range().lo),
               hi = static_cast<std::int64_t>(p_.range().hi);
    Net low = p_.clamps_low ? below_constant(s_, q, lo, true) : Net(ir::net_zero);
    Net within = p_.clamps_high ? below_constant(s_, q, hi + 1, true) : Net(ir::net_one);
    if (p_.has_outside()) {
      const auto [is, below] = outside(static_cast<std::uint32_t>(p_.table_clocks()) + clock);
      low = s_.net(mux(Bit(is), below, low));
      within = s_.net(~is & within);
    }
    UInt kept = q.slice(0, width);
    for (int i = p_.steps_behind.compare; i < p_.steps_behind.choose; ++i) {
      kept = reg(s_, kept, {.enable = in_.en});
      for (Net* n : {&low, &within})
        if (!n->is_constant()) *n = reg(s_, *n, {.enable = in_.en});
    }
    const auto end = [&](std::int64_t value) {
      return s_.constant(arith::raw_of(value, width), width);
    };
    if (!p_.has_exceptions()) return s_.word(mux(low, end(lo), mux(within, kept, end(hi))));
    // The end of the clamp on the side that `low` tells.
    std::vector<Net> ends;
    const Net high = s_.net(~low);
    for (std::uint32_t bit = 0; bit < width; ++bit)
      ends.push_back((lo >> bit & 1) == (hi >> bit & 1) ? ir::constant((lo >> bit & 1) != 0)
                     : (lo >> bit & 1) != 0             ? low
                                                        : high);
    const UInt hits = exceptions(p_.table_clocks() + p_.slice_latency + p_.steps_behind.choose);
    std::vector<Net> wanted;
    for (std::uint32_t bit = 0; bit < width; ++bit) {
      std::vector<Net> ones;
      for (std::uint32_t i = 0; i < hits.width(); ++i)
        if ((p_.narrow->exceptions[i].result >> bit & 1) != 0) ones.push_back(hits[i]);
      wanted.push_back(any_of(s_, ones));
    }
    return s_.word(
        mux(any_of(s_, hits), bits(s_, wanted), mux(low | ~within, bits(s_, ends), kept)));
  }

  // Which exception the accumulator is, `clocks` later.
  UInt exceptions(int clocks) {
    std::vector<Net> hits;
    for (const auto& e : p_.narrow->exceptions) {
      Bit is = equals(s_, UInt(in_.acc), arith::raw_of(e.accumulator, in_.acc.width()));
      if (!in_.channel.empty()) {
        const UInt& channel = in_.channel[0];
        Bit own = equals(s_, channel, e.channel);
        if (e.channel == 0)
          own |= below_constant(s_, channel, static_cast<std::int64_t>(p_.channels()), false, true);
        is = is & own;
      }
      hits.push_back(reg(s_, is, {.enable = in_.en}));
    }
    return delay(s_, bits(s_, hits), static_cast<std::uint32_t>(clocks - 1), in_.en);
  }

  Scope& s_;
  const ChannelPlan& p_;
  const LaneIn<Hardware>& in_;
  SInt acc_;
  Net detected_ = ir::net_zero;  // by the pattern detector of one slice
};

}  // namespace

UInt unregistered(Scope& s, const ChannelPlan& p, const LaneIn<Hardware>& in) {
  Channels channels(s, p, in);
  return p.machine == Machine::float_lane ? channels.float_lane() : channels.slices();
}

LaneOut<Hardware> build_lane(Scope& s, const ChannelPlan& p, const LaneIn<Hardware>& in) {
  s.module().set_about(fmt::format("requantise {} channels to {} bits, latency {}", p.channels(),
                                   p.request.result.bits, p.latency));
  return {.q = s.named("q_r", reg(s, unregistered(s, p, in), {.enable = in.en}))};
}

}  // namespace kumiki::gen::requant
