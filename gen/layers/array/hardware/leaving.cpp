// SPDX-License-Identifier: Apache-2.0
// Rows wait in a queue. One after the other leaves word by word through the lanes, and the words
// wait in another queue for the output.
#include <fmt/format.h>

#include "gen/blocks/requant/float_lane.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/array/hardware/drain.h"
#include "gen/layers/array/hardware/lane.h"
#include "gen/layers/array/hardware/steps.h"

namespace kumiki::gen::array {
namespace {

// Packs words side by side, and unpacks them one by one.
class Packed {
 public:
  explicit Packed(Scope& s) : s_(s) {}
  void put(const Word& w) { high_to_low_.insert(high_to_low_.begin(), w); }
  void put(Net n) { put(Word(bits(s_, {n}))); }
  UInt word() const { return cat(s_, high_to_low_); }
  void from(const UInt& word) { rest_ = word; }
  UInt take(std::uint32_t width) {
    const UInt w = rest_.slice(taken_, width);
    taken_ += width;
    return w;
  }
  Net take() { return take(1)[0]; }

 private:
  Scope& s_;
  std::vector<Word> high_to_low_;
  UInt rest_;
  std::uint32_t taken_ = 0;
};

class Leave {
 public:
  Leave(Scope& s, const ArrayPlan& p, const Config& c, const ArrayIn<Hardware>& in)
      : s_(s),
        p_(p),
        c_(c),
        in_(in),
        lanes_(static_cast<std::size_t>(p.request.output_words)),
        room_(s, c.rst),
        load_(s),
        leave_(s) {}

  Leaving build(const DrainedRow& row) {
    const DrainedRow waiting = queued(row);
    unpack(waiting);
    return offered(through_lanes());
  }

 private:
  // Whether the words, given minus one, fit in one beat.
  Net one_beat(const UInt& left) { return less(s_, left, s_.constant(lanes_, left.width())); }

  DrainedRow queued(const DrainedRow& row) {
    Packed in(s_);
    // One more clock for the comparison.
    const std::vector<Net> flags{row.fc, row.relu, row.row_last, row.last, row.final};
    for (const Net n : flags) in.put(reg(s_, n));
    in.put(reg(s_, one_beat(row.left)));
    in.put(reg(s_, row.left));
    if (p_.request.float32) in.put(reg(s_, row.layer));
    for (const UInt& w : row.words) in.put(reg(s_, w));
    Queue queue(s_, reg(s_, row.valid, {.reset = c_.rst}), in.word(), c_.rst);
    queue.finish(load_);
    there_ = queue.there();
    in.from(queue.front());
    DrainedRow out{.fc = in.take(),
                   .relu = in.take(),
                   .row_last = in.take(),
                   .last = in.take(),
                   .final = in.take()};
    short_ = in.take();
    out.left = in.take(row.left.width());
    if (p_.request.float32) out.layer = in.take(row.layer.width());
    for (const UInt& w : row.words) out.words.push_back(in.take(w.width()));
    return out;
  }

  // The leaving row, with its first words in front.
  void unpack(const DrainedRow& row) {
    Reg<Net> leaving(s_, {.reset = c_.rst}), last_words(s_, {.enable = s_.net(load_ | leave_)});
    leave_.drive(leaving & room_.left() & in_.par_valid);
    const Bit row_done = leave_ & last_words;
    load_.drive(there_ & (~leaving | row_done));
    leaving.next(load_ | (leaving & ~row_done));
    last_words_ = last_words.q();
    auto with_row = [&](Net n) { return reg(s_, n, {.enable = load_}); };
    now_ = {.fc = with_row(row.fc),
            .relu = with_row(row.relu),
            .row_last = with_row(row.row_last),
            .last = with_row(row.last),
            .final = with_row(row.final)};
    if (p_.request.float32) now_.layer = reg(s_, row.layer, {.enable = load_});
    par_ready_ = s_.net(leaving & room_.left() & (now_.fc | (now_.row_last & last_words)));

    Reg<UInt> left(s_, row.left.width(), {.enable = s_.net(load_ | leave_)});
    const std::uint32_t width = row.left.width();
    const UInt fewer = sub(s_, left.q(), s_.constant(lanes_, width));
    left.next(mux(load_, row.left, fewer));
    last_words.next(mux(load_, short_, less(s_, left.q(), s_.constant(2 * lanes_, width))));
    now_.left = left.q();
    now_.words.resize(row.words.size());
    for (std::size_t j = row.words.size(); j-- > 0;) {
      const bool more = j + lanes_ < row.words.size();
      now_.words[j] =
          reg(s_, more ? mux(s_, load_, row.words[j], now_.words[j + lanes_]) : row.words[j],
              {.enable = more ? s_.net(load_ | leave_) : Net(load_)});
    }
  }

  struct Beat {
    Net valid, last, final;
    std::vector<UInt> data;
    std::vector<Net> keep;
  };

  UInt fixed_lane(std::size_t number, const UInt& word, const UInt& parameter, Net relu) {
    const LanePlan lane{
        .packed = p_.packed(), .sum_bits = p_.sum_bits(), .data_bits = p_.request.data_bits};
    return instantiate(s_, build_lane, lane,
                       LaneIn<Hardware>{.relu = relu, .sum = word, .parameter = parameter},
                       fmt::format("lane{}", number))
        .q;
  }

  // Zero point and bounds, at the time when the lanes need them.
  struct OfLayer {
    UInt zero, low, high;
  };
  // Only the layer's number travels with a row and its words, because that has fewer bits.
  OfLayer results_of() {
    const auto clocks = static_cast<std::uint32_t>(p_.lane_latency() - 2);
    const UInt all = descriptor_word(s_, p_, c_, Engine::results, 0, delay(s_, now_.layer, clocks));
    const auto part = [&](const Field& f) {
      return all.slice(static_cast<std::uint32_t>(f.low),
                       static_cast<std::uint32_t>(p_.request.data_bits));
    };
    return {.zero = part(fields::results_zero),
            .low = reg(s_, part(fields::results_low)),
            .high = reg(s_, part(fields::results_high))};
  }
  UInt float_lane(std::size_t number, const UInt& word, const UInt& parameter,
                  const OfLayer& of_layer) {
    return instantiate(s_, requant::build_float_lane, p_.float_lane(),
                       requant::FloatLaneIn<Hardware>{.en = ir::net_one,
                                                      .sum = word,
                                                      .parameter = parameter,
                                                      .zero = of_layer.zero,
                                                      .low = of_layer.low,
                                                      .high = of_layer.high},
                       fmt::format("lane{}", number))
        .q;
  }

  // Words and parameters are registered before the lanes.
  Beat through_lanes() {
    const int clocks = p_.lane_latency();
    auto along = [&](const Bit& b) {
      return delay(s_, reg(s_, b), static_cast<std::uint32_t>(clocks));
    };
    Beat beat;
    const OfLayer of_layer = p_.request.float32 ? results_of() : OfLayer{};
    const Net relu = reg(s_, now_.relu);
    for (std::size_t i = 0; i < lanes_; ++i) {
      const UInt parameter =
          reg(s_, i == 0 ? in_.par_data[0] : mux(s_, now_.fc, in_.par_data[i], in_.par_data[0]));
      const UInt word = reg(s_, now_.words[i]);
      const UInt q = p_.request.float32 ? float_lane(i, word, parameter, of_layer)
                                        : fixed_lane(i, word, parameter, relu);
      beat.data.push_back(
          as_unsigned(sext(s_, as_signed(q), static_cast<std::uint32_t>(p_.operand_bits()))));
      const UInt& left = now_.left;
      beat.keep.push_back(
          along(i == 0 ? Bit(ir::net_one) : Bit(at_least(s_, left, s_.constant(i, left.width())))));
    }
    beat.valid = later(s_, Net(leave_), clocks + 1, c_.rst);
    beat.last = along(now_.last & last_words_);
    beat.final = along(now_.final & last_words_);
    return beat;
  }

  Leaving offered(const Beat& beat) {
    Packed in(s_);
    in.put(beat.last);
    in.put(beat.final);
    for (const Net n : beat.keep) in.put(n);
    for (const UInt& w : beat.data) in.put(w);
    Queue queue(s_, beat.valid, in.word(), c_.rst);
    Reg<Net> valid(s_, {.reset = c_.rst});
    const Net moves = s_.net(~valid | in_.out_ready);
    const Net taken = s_.net(queue.there() & moves);
    valid.next(queue.there() | (valid & ~in_.out_ready));
    queue.finish(taken);
    room_.finish(leave_, taken);
    in.from(reg(s_, queue.front(), {.enable = moves}));
    Leaving out{.par_ready = par_ready_, .valid = valid.q(), .row_taken = load_};
    out.last = in.take();
    out.final = in.take();
    for (std::size_t i = 0; i < lanes_; ++i) out.keep.push_back(in.take());
    for (const UInt& w : beat.data) out.data.push_back(in.take(w.width()));
    return out;
  }

  Scope& s_;
  const ArrayPlan& p_;
  const Config& c_;
  const ArrayIn<Hardware>& in_;
  std::size_t lanes_;
  Room room_;  // after the lanes
  Wire<Net> load_, leave_;
  Net there_, short_;  // a row waits; it has only one beat
  Net last_words_, par_ready_;
  DrainedRow now_;  // the leaving row
};

}  // namespace

Leaving build_leaving(Scope& s, const ArrayPlan& plan, const Config& config,
                      const ArrayIn<Hardware>& in, const DrainedRow& row) {
  return Leave(s, plan, config, in).build(row);
}

}  // namespace kumiki::gen::array
