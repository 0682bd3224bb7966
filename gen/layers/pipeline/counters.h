// SPDX-License-Identifier: Apache-2.0
// Counts events of a running pipeline, readable over the read half of an AXI4-Lite port.
//
// An event is a net that is 1 in the clocks that count. Every event has a counter of a few bits,
// wide enough for a lap. Once a lap, all counters move into a chain of registers in the same clock.
// The chain passes one counter a clock to a single adder; the wide counts circulate through shift
// registers. So a count costs about ten LUTs instead of 32. A read returns a count that is a lap
// and a few clocks old, and waits as long until its count comes by.
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
  std::int64_t bits = 32;   // of a count, which wraps to 0
  std::int64_t digit = 16;  // bits that a carry passes in one clock

  std::int64_t lap() const;                  // clocks
  std::int64_t low_bits() const;             // enough to count every clock of a lap
  std::vector<std::int64_t> digits() const;  // widths of the bits above those
  std::int64_t stages() const;               // registers from the chain to the complete count
  std::int64_t address_bits() const;         // of byte addresses, 4 bytes a count; at least a page
  std::int64_t oldest() const;               // most clocks between an event and a read that misses
                                             // it
  std::int64_t longest() const;              // most clocks between an accepted read and its answer
  std::string module_name() const;
  bool operator==(const CountersPlan&) const = default;
};

// The channels AR and R of AXI4-Lite; ARPROT is ignored.
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

// Keeps whole counts, and the clock of a lap in which each is seen.
class CountersModel {
 public:
  explicit CountersModel(const CountersPlan& plan);
  void power_up();
  CountersOut<Values> step(const CountersIn<Values>& in);

 private:
  enum class Port { free, asked, armed, answers };
  void reset();
  CountersPlan plan_;
  std::vector<std::uint64_t> totals_, of_lap_;  // now; at the start of the lap
  std::vector<bool> happened_;                  // in the previous clock
  std::int64_t at_ = 0;                         // position in the lap
  std::deque<std::int64_t> ats_;                // of the previous clocks; a reset keeps them
  std::deque<std::uint64_t> passing_;           // counts on their way to the port
  Port port_ = Port::free;
  std::int64_t wanted_ = 0;
  CountersOut<Values> shown_{};
};

}  // namespace kumiki::gen::pipeline
