// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counters.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace kumiki::gen::pipeline {
namespace {

std::int64_t width_of(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(value)));
}

}  // namespace

std::int64_t CountersPlan::lap() const {
  // The shift registers fill the rest of a lap after the stages, which is at least one clock. More
  // clocks may need one more bit for a lap and one digit less above it, but never more stages.
  const auto of = [&](std::int64_t clocks) {
    const std::int64_t above = std::max<std::int64_t>(bits - width_of(clocks), 0);
    return std::max(events, 2 + (above + digit - 1) / digit + 1);
  };
  return std::max(events, of(events));
}

std::int64_t CountersPlan::low_bits() const { return std::min(width_of(lap()), bits); }

std::vector<std::int64_t> CountersPlan::digits() const {
  std::vector<std::int64_t> all;
  for (std::int64_t left = bits - low_bits(); left > 0; left -= digit)
    all.push_back(std::min(left, digit));
  return all;
}

std::int64_t CountersPlan::stages() const { return 2 + std::ssize(digits()); }

std::int64_t CountersPlan::address_bits() const {
  constexpr std::int64_t page = 12;
  return std::max(page, 2 + width_of(events));
}

// An event is first in a register, then in a counter; a lap may just have begun.
std::int64_t CountersPlan::oldest() const { return 2 + lap() + stages(); }

std::int64_t CountersPlan::longest() const { return 2 + lap(); }

std::string CountersPlan::module_name() const { return fmt::format("counters{}x{}", events, bits); }

CountersIn<Hardware> input_shape(const CountersPlan& p) {
  CountersIn<Hardware> in{};
  in.events.resize(static_cast<std::size_t>(p.events));
  in.araddr = UInt::shape(static_cast<std::uint32_t>(p.address_bits()));
  return in;
}

CountersOut<Hardware> output_shape(const CountersPlan& p) {
  CountersOut<Hardware> out{};
  out.rresp = UInt::shape(2);
  out.rdata = UInt::shape(static_cast<std::uint32_t>(p.bits));
  return out;
}

CountersModel::CountersModel(const CountersPlan& plan) : plan_(plan) { power_up(); }

void CountersModel::power_up() {
  ats_.assign(static_cast<std::size_t>(plan_.stages()) + 1, 0);
  reset();
}

void CountersModel::reset() {
  const auto events = static_cast<std::size_t>(plan_.events);
  totals_.assign(events, 0);
  of_lap_.assign(events, 0);
  happened_.assign(events, false);
  passing_.assign(static_cast<std::size_t>(plan_.stages()), 0);
  at_ = 0;
  port_ = Port::free;
  wanted_ = 0;
  shown_ = {.arready = true, .rvalid = false, .rresp = 0, .rdata = 0};
}

CountersOut<Values> CountersModel::step(const CountersIn<Values>& in) {
  const CountersOut<Values> shown = shown_;
  const std::int64_t lap = plan_.lap();
  const std::uint64_t mask = (std::uint64_t{1} << plan_.bits) - 1;

  // The port looks for a requested count from the second clock on.
  const bool is_beyond = wanted_ >= plan_.events;
  const bool is_there = port_ == Port::armed && (is_beyond || ats_.front() == wanted_);
  if (shown.arready && in.arvalid) {
    port_ = Port::asked;
    wanted_ = static_cast<std::int64_t>(in.araddr / 4);
    shown_.arready = false;
  } else if (is_there) {
    port_ = Port::answers;
    shown_.rvalid = true;
    shown_.rresp = is_beyond ? resp_slave_error : resp_okay;
    shown_.rdata = is_beyond ? 0 : passing_.front();
  } else if (port_ == Port::asked) {
    port_ = Port::armed;
  } else if (port_ == Port::answers && in.rready) {
    port_ = Port::free;
    shown_.rvalid = false;
    shown_.arready = true;
  }

  // Passes the counts of the previous lap, in the clock in which the next lap is captured.
  const auto passes = static_cast<std::size_t>((at_ + lap - 1) % lap);
  passing_.pop_front();
  passing_.push_back(passes < of_lap_.size() ? of_lap_[passes] : 0);
  if (at_ == 0) of_lap_ = totals_;
  ats_.pop_front();
  ats_.push_back(at_);
  at_ = (at_ + 1) % lap;
  for (std::size_t e = 0; e < totals_.size(); ++e) {
    totals_[e] = (totals_[e] + (happened_[e] ? 1 : 0)) & mask;
    happened_[e] = in.events[e];
  }
  if (in.rst) reset();
  return shown;
}

}  // namespace kumiki::gen::pipeline
