// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/weight_reader.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/arith/interval.h"
#include "gen/layers/pipeline/machines/fifo.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::pipeline {

std::int64_t WeightReaderPlan::Channel::burst() const {
  constexpr std::int64_t longest = 16;
  return std::min(longest, beats() & -beats());
}

std::int64_t WeightReaderPlan::bytes() const {
  const Channel& last = channels.back();
  return last.first + ceil_div(last.beats() * word_bytes(), page) * page;
}

// In a round of turns a stream gets one burst.
std::int64_t WeightReaderPlan::interval() const {
  std::int64_t words = 0, rounds = 0;
  for (const Channel& c : channels) {
    words += c.beats();
    rounds = std::max(rounds, c.beats() / c.burst());
  }
  return std::max(words, rounds * clocks_of_a_turn * std::ssize(channels));
}

std::uint32_t WeightReaderPlan::place_bits() const {
  return static_cast<std::uint32_t>(arith::bits_for_count(bytes() / word_bytes()));
}

std::uint32_t WeightReaderPlan::count_bits() const {
  return static_cast<std::uint32_t>(arith::bits_for_count(most_bursts() + 1));
}

std::int64_t WeightReaderPlan::size_code() const { return arith::bits_for_count(word_bytes()); }

std::string WeightReaderPlan::module_name() const {
  return fmt::format("weights{}x{}", channels.size(), word_bits);
}

WeightReaderPlan weight_reader(std::int64_t word_bits, const std::vector<Stream>& words) {
  WeightReaderPlan plan{.word_bits = word_bits, .channels = {}};
  std::int64_t first = 0;
  for (const Stream& s : words) {
    plan.channels.push_back({s, first});
    first = plan.bytes();
  }
  return plan;
}

WeightReaderIn<Hardware> input_shape(const WeightReaderPlan& p) {
  WeightReaderIn<Hardware> in{};
  in.base = UInt::shape(WeightReaderPlan::address_bits);
  in.taken.resize(p.channels.size());
  in.rresp = UInt::shape(2);
  in.rdata.assign(static_cast<std::size_t>(p.word_bits) / WeightReaderPlan::element_bits,
                  UInt::shape(WeightReaderPlan::element_bits));
  return in;
}

std::shared_ptr<const Machine> queue_of(const WeightReaderPlan::Channel& c) {
  const std::int64_t depth = WeightReaderPlan::bursts_of_a_queue * c.burst();
  return machine(FifoPlan{.stream = c.words, .depth = depth});
}
std::shared_ptr<const Machine> order_of(const WeightReaderPlan& p) {
  const int bits = std::max(arith::bits_for_count(std::ssize(p.channels)), 1);
  return machine(FifoPlan{.stream = {.format = {bits, false}},
                          .depth = static_cast<std::int64_t>(
                              std::bit_ceil(static_cast<std::uint64_t>(p.most_bursts())))});
}

WeightReaderModel::WeightReaderModel(WeightReaderPlan plan)
    : plan_(std::move(plan)), order_(order_of(plan_)) {
  for (const auto& c : plan_.channels) queues_.emplace_back(queue_of(c));
  power_up();
}

void WeightReaderModel::power_up() {
  asks_next_ = asks_ = false;
  picked_ = halfway_ = whole_ = {};
  low_ = address_ = araddr_ = arlen_ = 0;
  under_way_ = 0;
  some_ = ended_ = drains_ = false;
  since_reset_ = 4;
  reset();
}

void WeightReaderModel::reset() {
  const std::size_t count = plan_.channels.size();
  for (MachineModel& q : queues_) q.reset();
  order_.reset();
  credits_.assign(count, WeightReaderPlan::bursts_of_a_queue);
  taken_.assign(count, 0);
  returns_.assign(count, false);
  place_.clear();
  for (const auto& c : plan_.channels) place_.push_back(c.first / plan_.word_bytes());
  phase_ = 0;
  turn_ = 0;
  wanted_ = issues_ = false;
  arrival_ = {};
  has_too_many_ = has_error_ = false;
  show();
}

void WeightReaderModel::show() {
  shown_.valid.clear();
  shown_.data.clear();
  for (const MachineModel& q : queues_) {
    shown_.valid.push_back(q.shown().out_valid);
    shown_.data.insert(shown_.data.end(), q.shown().out_data.begin(), q.shown().out_data.end());
  }
  shown_.araddr = araddr_;
  shown_.arlen = arlen_;
  shown_.arvalid = asks_;
  shown_.rready = order_.shown().out_valid || drains_;
  shown_.error = has_error_;
}

std::vector<std::uint64_t> WeightReaderModel::lanes_of(
    std::size_t channel, const std::vector<std::uint64_t>& rdata) const {
  const Stream& s = plan_.channels[channel].words;
  std::vector<std::uint64_t> lanes;
  constexpr std::int64_t element = WeightReaderPlan::element_bits;
  for (std::int64_t low = 0; low < plan_.word_bits; low += s.format.bits)
    lanes.push_back(rdata[static_cast<std::size_t>(low / element)] >> (low % element) &
                    ((std::uint64_t{1} << s.format.bits) - 1));
  return lanes;
}

// The registers in front of the port; a reset does not touch them.
void WeightReaderModel::ask(const WeightReaderIn<Values>& in, bool issues) {
  if (asks_next_) {
    araddr_ = address_;
    arlen_ = static_cast<std::uint64_t>(whole_.length);
  }
  asks_ = asks_next_ || (asks_ && !in.arready);
  asks_next_ = issues;
  constexpr std::uint64_t half = std::uint64_t{1} << WeightReaderPlan::low_bits,
                          all = std::uint64_t{1} << WeightReaderPlan::address_bits;
  const auto bytes = [&](const Asked& a) {
    return static_cast<std::uint64_t>(a.place * plan_.word_bytes());
  };
  const auto page = static_cast<std::uint64_t>(WeightReaderPlan::page);
  address_ = ((in.base & ~(half - 1)) + (bytes(halfway_) & ~(half - 1)) + low_) % all;
  low_ = in.base % half / page * page + bytes(picked_) % half;
  whole_ = halfway_;
  halfway_ = picked_;
  picked_ = {place_[turn_], plan_.channels[turn_].burst() - 1};
}

void WeightReaderModel::count_bursts(const WeightReaderIn<Values>& in, bool issues, bool ends) {
  const std::uint64_t mask = (std::uint64_t{1} << plan_.count_bits()) - 1;
  drains_ = in.rst || since_reset_ < 3 || (drains_ && some_);
  since_reset_ = in.rst ? 0 : std::min(since_reset_ + 1, 4);
  const bool some = under_way_ != 0;
  under_way_ = (under_way_ + (issues ? 1 : 0) - (ended_ && some_ ? 1 : 0)) & mask;
  some_ = some;
  ended_ = ends;
}

void WeightReaderModel::clock(const WeightReaderIn<Values>& in) {
  const bool is_ours = in.rvalid && order_.shown().out_valid && !drains_;
  const bool has_room = order_.shown().in_ready[0];
  const bool issues = issues_, asks = asks_, drains = drains_;
  ask(in, issues);
  count_bursts(in, issues, in.rvalid && shown_.rready && in.rlast);
  if (in.rst) return reset();

  const bool error = has_error_;
  has_error_ = has_error_ || has_too_many_ || (is_ours && (in.rresp >> 1 & 1) != 0);
  issues_ = phase_ == 1 && wanted_ && has_room && !asks && !drains && !error;
  wanted_ = credits_[turn_] > 0;
  has_too_many_ = false;
  for (std::size_t c = 0; c < queues_.size(); ++c) {
    const auto& of = plan_.channels[c];
    const bool uses = issues && c == turn_;
    credits_[c] = std::min(credits_[c] + (returns_[c] ? 1 : 0) - (uses ? 1 : 0),
                           WeightReaderPlan::bursts_of_a_queue);
    returns_[c] = queues_[c].shown().out_valid && in.taken[c] && ++taken_[c] == of.burst();
    if (returns_[c]) taken_[c] = 0;
    if (uses) {
      place_[c] += of.burst();
      const std::int64_t first = of.first / plan_.word_bytes();
      if (place_[c] == first + of.beats()) place_[c] = first;
    }
    const bool comes = arrival_.is_there && arrival_.channel == c;
    if (comes && !queues_[c].shown().in_ready[0]) has_too_many_ = true;
    const std::vector<std::uint64_t> nothing(static_cast<std::size_t>(of.words.lanes), 0);
    queues_[c].clock({.rst = false,
                      .in_valid = {comes},
                      .in_data = comes ? arrival_.lanes : nothing,
                      .out_ready = in.taken[c]});
  }
  const auto head = static_cast<std::size_t>(order_.shown().out_data[0]);
  arrival_ = {};
  if (is_ours && head < queues_.size()) arrival_ = {true, head, lanes_of(head, in.rdata)};
  order_.clock(
      {.rst = false, .in_valid = {issues}, .in_data = {turn_}, .out_ready = is_ours && in.rlast});
  phase_ = (phase_ + 1) % WeightReaderPlan::clocks_of_a_turn;
  if (phase_ == 0) turn_ = (turn_ + 1) % queues_.size();
  show();
}

}  // namespace kumiki::gen::pipeline
