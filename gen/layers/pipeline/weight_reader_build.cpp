// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gen/arith/interval.h"
#include "gen/hdl/cycle.h"
#include "gen/layers/pipeline/machines/add_chosen.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/layers/pipeline/weight_reader.h"

namespace kumiki::gen::pipeline {
namespace {

using Channel = WeightReaderPlan::Channel;

// The bursts that a queue has room for, one of these bits for each number.
class Credits {
 public:
  Credits(Scope& s, std::uint32_t most, Net reset)
      : s_(s), count_(s, most + 1, {.init = std::uint64_t{1} << most, .reset = reset}) {}
  Net some() const { return s_.net(~count_.q()[0]); }
  void update(Net more, Net less) {
    const UInt& now = count_.q();
    std::vector<Net> next;
    for (std::uint32_t i = 0; i < now.width(); ++i) {
      const Bit up = i == 0 ? Bit(ir::net_zero) : Bit(now[i - 1]),
                down = i + 1 == now.width() ? Bit(ir::net_zero) : Bit(now[i + 1]),
                most = i + 1 == now.width() ? Bit(now[i]) : Bit(ir::net_zero);
      next.push_back(
          s_.net((more & ~less & (up | most)) | (less & ~more & down) | (~(more ^ less) & now[i])));
    }
    count_.next(bits(s_, next));
  }

 private:
  Scope& s_;
  Reg<UInt> count_;
};

// One of several words; `which` is 1 for one of them.
UInt picked(Scope& s, const std::vector<Net>& which, const std::vector<UInt>& words) {
  std::vector<Net> all;
  for (std::uint32_t bit = 0; bit < words[0].width(); ++bit) {
    Bit any = ir::net_zero;
    for (std::size_t i = 0; i < words.size(); ++i) any = any | (which[i] & words[i][bit]);
    all.push_back(s.net(any));
  }
  return bits(s, all);
}

// The place of the next burst of a channel, in words of the image.
UInt build_place(Scope& s, const WeightReaderPlan& p, const Channel& c, Net issues, Net reset) {
  const std::int64_t first = c.first / p.word_bytes(), burst = c.burst(),
                     bursts = c.beats() / burst;
  if (bursts == 1) return s.constant(static_cast<std::uint64_t>(first), p.place_bits());
  const Cycle at(s, bursts, issues, reset);
  Reg<UInt> place(s, p.place_bits(),
                  {.init = static_cast<std::uint64_t>(first), .enable = issues, .reset = reset});
  place.next(add_chosen(
      s, place.q(), {at.last()},
      [&](unsigned last) -> std::int64_t { return last != 0 ? -(bursts - 1) * burst : burst; },
      ir::net_zero));
  return place.q();
}

// Each stream has its turn for four clocks: whether its queue has room, and the place of its next
// burst; whether it asks; two more for the address.
class ReaderBuilder {
 public:
  ReaderBuilder(Scope& s, const WeightReaderPlan& p, const WeightReaderIn<Hardware>& in)
      : s_(s),
        p_(p),
        in_(in),
        count_(p.channels.size()),
        issues_(s, {.reset = in.rst}),
        asks_(s),
        drains_(s),
        error_(s, {.reset = in.rst}) {}

  WeightReaderOut<Hardware> run() {
    const std::vector<Net> phase = one_of(WeightReaderPlan::clocks_of_a_turn, ir::net_one),
                           turn = one_of(count_, phase.back());
    std::vector<Net> wants, issues;
    std::vector<UInt> places, lengths;
    for (std::size_t c = 0; c < count_; ++c) {
      credits_.emplace_back(s_, static_cast<std::uint32_t>(WeightReaderPlan::bursts_of_a_queue),
                            in_.rst);
      wants.push_back(s_.net(turn[c] & credits_[c].some()));
      issues.push_back(s_.net(issues_ & turn[c]));
      places.push_back(build_place(s_, p_, p_.channels[c], issues[c], in_.rst));
      lengths.push_back(
          s_.constant(static_cast<std::uint64_t>(p_.channels[c].burst() - 1), length_bits));
    }
    WeightReaderOut<Hardware> out{};
    const Net has_room = answer(out, index_of(turn), issues);
    const Net wanted = reg(s_, any_of(s_, bits(s_, wants)), {.reset = in_.rst});
    issues_.next(phase[1] & wanted & has_room & ~asks_ & ~drains_ & ~error_);
    // A request outlives a reset, as AXI demands.
    Reg<Net> asks_next(s_);
    asks_next.next(issues_);
    asks_.next(asks_next | (asks_ & ~in_.arready));
    const UInt place = reg(s_, picked(s_, turn, places)),
               length = reg(s_, picked(s_, turn, lengths));
    out.araddr = reg(s_, address_of(place), {.enable = asks_next});
    out.arlen = zext(s_, reg(s_, delay(s_, length, 2), {.enable = asks_next}), 8);
    out.arvalid = asks_;
    return out;
  }

 private:
  static constexpr std::uint32_t length_bits = 4;

  // A register in which one of so many bits is 1, the next one after each `moves`.
  std::vector<Net> one_of(std::size_t count, Net moves) {
    if (count == 1) return {ir::net_one};
    const auto width = static_cast<std::uint32_t>(count);
    Reg<UInt> at(s_, width, {.init = 1, .enable = moves, .reset = in_.rst});
    at.next(cat(s_, {at.q().slice(0, width - 1), at.q().slice(width - 1, 1)}));
    return {at.q().nets().begin(), at.q().nets().end()};
  }

  // Two clocks later: the lower half of the sum, then the upper one, so that no carry is long.
  UInt address_of(const UInt& place) {
    constexpr std::uint32_t all = WeightReaderPlan::address_bits, low = WeightReaderPlan::low_bits;
    const auto page = static_cast<std::uint32_t>(arith::bits_for_count(WeightReaderPlan::page)),
               word = static_cast<std::uint32_t>(arith::bits_for_count(p_.word_bytes()));
    const UInt bytes = zext(s_, cat(s_, {Word(place), Word(s_.constant(0, word))}), all);
    const UInt sum = reg(s_, add(s_, zext(s_, in_.base.slice(page, low - page), low - page + 1),
                                 zext(s_, bytes.slice(page, low - page), low - page + 1)));
    const UInt above = reg(s_, bytes.slice(low, all - low)), within = reg(s_, bytes.slice(0, page));
    const UInt upper = reg(s_, add(s_, in_.base.slice(low, all - low), above, sum.msb()));
    return cat(s_, {Word(upper), Word(reg(s_, sum.slice(0, low - page))), Word(reg(s_, within))});
  }

  // Distributes what comes. Returns whether one more burst fits among those that are under way.
  Net answer(WeightReaderOut<Hardware>& out, const UInt& turn, const std::vector<Net>& issues) {
    Wire<Net> burst_ends(s_);
    const auto order = queue(order_of(p_), issues_, {turn}, burst_ends, "order");
    out.rready = s_.net(order.out_valid | drains_);
    const Net is_ours = s_.net(in_.rvalid & order.out_valid & ~drains_);
    burst_ends.drive(s_.net(in_.rvalid & order.out_valid & ~drains_ & in_.rlast));
    count_bursts(reg(s_, in_.rvalid & out.rready & in_.rlast));
    const std::vector<Word> high_to_low(in_.rdata.rbegin(), in_.rdata.rend());
    const UInt data = reg(s_, cat(s_, high_to_low));
    Bit too_many = ir::net_zero;
    for (std::size_t c = 0; c < count_; ++c) {
      const Channel& channel = p_.channels[c];
      const Net here = equals(s_, order.out_data[0], static_cast<std::uint64_t>(c));
      const Net comes = reg(s_, is_ours & here, {.reset = in_.rst});
      const auto made =
          queue(queue_of(channel), comes, pipeline::lanes_of(data, channel.words.lanes),
                in_.taken[c], fmt::format("queue{}", c));
      out.valid.push_back(made.out_valid);
      out.data.insert(out.data.end(), made.out_data.begin(), made.out_data.end());
      const Cycle burst(s_, channel.burst(), s_.net(made.out_valid & in_.taken[c]), in_.rst);
      credits_[c].update(reg(s_, burst.ends(), {.reset = in_.rst}), issues[c]);
      too_many = too_many | (comes & ~made.in_ready[0]);
    }
    error_.next(error_ | (is_ours & in_.rresp[1]) | reg(s_, too_many, {.reset = in_.rst}));
    out.error = error_;
    return order.in_ready[0];
  }

  UInt index_of(const std::vector<Net>& turn) {
    const auto width = static_cast<std::uint32_t>(
        std::max(arith::bits_for_count(static_cast<std::int64_t>(count_)), 1));
    std::vector<UInt> numbers;
    for (std::size_t c = 0; c < count_; ++c)
      numbers.push_back(s_.constant(static_cast<std::uint64_t>(c), width));
    return picked(s_, turn, numbers);
  }

  // Counts bursts whose last word has not come, also across a reset. `drains_` begins with a reset
  // and lasts until the count, known three clocks later, is 0.
  void count_bursts(Net ends) {
    Reg<UInt> count(s_, p_.count_bits());
    const Net some = reg(s_, any_of(s_, count.q()));
    count.next(add_chosen(
        s_, count.q(), {issues_, s_.net(ends & some)},
        [](unsigned flags) -> std::int64_t { return (flags & 1) - (flags >> 1); }, ir::net_zero));
    const Net first = reg(s_, in_.rst), second = reg(s_, first), third = reg(s_, second);
    drains_.next(in_.rst | first | second | third | (drains_ & some));
  }

  MachineOut<Hardware> queue(const std::shared_ptr<const Machine>& machine, Net valid,
                             const std::vector<UInt>& data, Net taken, const std::string& name) {
    return machine->place(
        s_, {.rst = in_.rst, .in_valid = {valid}, .in_data = data, .out_ready = taken}, name);
  }

  Scope& s_;
  const WeightReaderPlan& p_;
  const WeightReaderIn<Hardware>& in_;
  std::size_t count_;
  Reg<Net> issues_, asks_, drains_, error_;
  std::vector<Credits> credits_;
};

}  // namespace

WeightReaderOut<Hardware> build_weight_reader(Scope& s, const WeightReaderPlan& p,
                                              const WeightReaderIn<Hardware>& in) {
  s.module().set_about(fmt::format("{} streams of weights, {} bytes of a memory outside",
                                   p.channels.size(), p.bytes()));
  return ReaderBuilder(s, p, in).run();
}

}  // namespace kumiki::gen::pipeline
