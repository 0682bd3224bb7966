// SPDX-License-Identifier: Apache-2.0
// Counts of what happens in a pipeline while it runs, behind the read half of an AXI4-Lite port.
//
// An event is a net that is 1 in the clocks that count. Every event has a counter of a few bits,
// wide enough for a lap. Once a lap, all of them in the same clock, they go into a chain of
// registers, which passes one a clock to a single adder; the wide counts go round through shift
// registers. So a count costs some ten LUTs and not 32. What is read is a lap and a few clocks old,
// and a read waits for its count to come by, a lap and a few clocks as well.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/hdl/ports.h"

namespace kumiki::gen::pipeline {

struct CountersPlan {
  std::int64_t events = 1;
  std::int64_t bits = 32;   // of a count, which begins at 0 again
  std::int64_t digit = 16;  // bits that a carry passes in a clock

  std::int64_t lap() const;                  // clocks
  std::int64_t low_bits() const;             // more than a lap can count
  std::vector<std::int64_t> digits() const;  // widths of what is above
  std::int64_t stages() const;               // registers between the chain and the whole count
  std::int64_t address_bits() const;         // of bytes, 4 a count; at least a page
  std::int64_t oldest() const;               // clocks between an event and the last read without it
  std::int64_t longest() const;              // clocks between a read that is taken and its answer
  std::string module_name() const;
  bool operator==(const CountersPlan&) const = default;
};

// AXI4-Lite's channels AR and R; ARPROT says nothing here.
template <class R>
struct CountersIn {
  typename R::Bit rst;
  std::vector<typename R::Bit> events;
  typename R::UInt araddr;
  typename R::Bit arvalid, rready;
  static constexpr auto ports() {
    return std::tuple(port("rst", &CountersIn::rst), port("events", &CountersIn::events),
                      port("araddr", &CountersIn::araddr), port("arvalid", &CountersIn::arvalid),
                      port("rready", &CountersIn::rready));
  }
};

template <class R>
struct CountersOut {
  typename R::Bit arready, rvalid;
  typename R::UInt rresp, rdata;
  static constexpr auto ports() {
    return std::tuple(port("arready", &CountersOut::arready), port("rvalid", &CountersOut::rvalid),
                      port("rresp", &CountersOut::rresp), port("rdata", &CountersOut::rdata));
  }
};

inline constexpr std::uint64_t resp_okay = 0, resp_slave_error = 2;

CountersIn<Hardware> input_shape(const CountersPlan& plan);
CountersOut<Hardware> output_shape(const CountersPlan& plan);
CountersOut<Hardware> build_counters(Scope& s, const CountersPlan& plan,
                                     const CountersIn<Hardware>& in);

// Whole counts, and in which clock of its lap each is seen.
class CountersModel {
 public:
  explicit CountersModel(const CountersPlan& plan);
  void power_up();
  CountersOut<Values> step(const CountersIn<Values>& in);

 private:
  enum class Port { free, asked, armed, answers };
  void reset();
  CountersPlan plan_;
  std::vector<std::uint64_t> totals_, of_lap_;  // now; as the lap began
  std::vector<bool> happened_;                  // in the clock before
  std::int64_t at_ = 0;                         // in the lap
  std::deque<std::int64_t> ats_;                // of the clocks before; a reset leaves them
  std::deque<std::uint64_t> passing_;           // counts on their way to the port
  Port port_ = Port::free;
  std::int64_t wanted_ = 0;
  CountersOut<Values> shown_{};
};

}  // namespace kumiki::gen::pipeline
