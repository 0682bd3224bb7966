// SPDX-License-Identifier: Apache-2.0
// The registers of an engine behind AXI4-Lite, and what starts and stops it.
//
// A write that would change nothing, or something while the engine runs, is answered with an error
// and changes nothing. So is a part of a word.
#pragma once
#include <array>
#include <vector>

#include "gen/layers/engine/ports/mover.h"

namespace kumiki::gen::engine {

template <class R>
struct ControlIn {
  typename R::Bit rst;
  // Of the mover.
  typename R::Bit done, quiet, moved;
  typename R::UInt begun;
  std::vector<typename R::Bit> faults, events;
  // AXI4-Lite.
  typename R::UInt awaddr, wdata, wstrb, araddr;
  typename R::Bit awvalid, wvalid, bready, arvalid, rready;
  static constexpr auto ports() {
    return std::tuple(port("rst", &ControlIn::rst), port("done", &ControlIn::done),
                      port("quiet", &ControlIn::quiet), port("moved", &ControlIn::moved),
                      port("begun", &ControlIn::begun), port("faults", &ControlIn::faults),
                      port("events", &ControlIn::events), port("awaddr", &ControlIn::awaddr),
                      port("wdata", &ControlIn::wdata), port("wstrb", &ControlIn::wstrb),
                      port("araddr", &ControlIn::araddr), port("awvalid", &ControlIn::awvalid),
                      port("wvalid", &ControlIn::wvalid), port("bready", &ControlIn::bready),
                      port("arvalid", &ControlIn::arvalid), port("rready", &ControlIn::rready));
  }
};

template <class R>
struct ControlOut {
  typename R::Bit clear, go, halt, interrupt;
  typename R::UInt program_base, program_words, moves, data_base, data_words;
  typename R::Bit awready, wready, bvalid, arready, rvalid;
  typename R::UInt bresp, rresp, rdata;
  static constexpr auto ports() {
    return std::tuple(
        port("clear", &ControlOut::clear), port("go", &ControlOut::go),
        port("halt", &ControlOut::halt), port("interrupt", &ControlOut::interrupt),
        port("program_base", &ControlOut::program_base),
        port("program_words", &ControlOut::program_words), port("moves", &ControlOut::moves),
        port("data_base", &ControlOut::data_base), port("data_words", &ControlOut::data_words),
        port("awready", &ControlOut::awready), port("wready", &ControlOut::wready),
        port("bvalid", &ControlOut::bvalid), port("arready", &ControlOut::arready),
        port("rvalid", &ControlOut::rvalid), port("bresp", &ControlOut::bresp, &ControlOut::bvalid),
        port("rresp", &ControlOut::rresp, &ControlOut::rvalid),
        port("rdata", &ControlOut::rdata, &ControlOut::rvalid));
  }
};

struct ControlPlan {
  PortsPlan ports;
  std::string module_name() const { return "engine_control"; }
  friend bool operator==(const ControlPlan&, const ControlPlan&) = default;
};
ControlIn<Hardware> input_shape(const ControlPlan& plan);
ControlOut<Hardware> build_control(Scope& s, const ControlPlan& plan,
                                   const ControlIn<Hardware>& in);

class ControlModel {
 public:
  explicit ControlModel(const PortsPlan& plan);
  void power_up();
  ControlOut<Values> shown() const;
  void clock(const ControlIn<Values>& in);

 private:
  enum class Run : std::uint8_t { rests, clears, goes, runs, stops, failed };
  enum class Write : std::uint8_t { free, taken, checked, decided, applies, answers };
  enum class Read : std::uint8_t { free, looks, asks, waits, answers };
  void reset();
  std::uint64_t& value(Register r) { return values_[static_cast<std::size_t>(r)]; }
  std::uint64_t value(Register r) const { return values_[static_cast<std::size_t>(r)]; }
  bool is_legal() const;
  std::uint64_t status(const ControlIn<Values>& in) const;
  void run(const ControlIn<Values>& in, bool starts, bool resets);
  void read(const ControlIn<Values>& in);
  PortsPlan plan_;
  pipeline::CountersModel counters_;
  std::array<std::uint64_t, static_cast<std::size_t>(Register::count)> values_{};
  Run run_ = Run::rests;
  bool is_to_run_ = false, is_to_reset_ = false, is_done_ = false, is_timed_out_ = false,
       has_expired_ = false, interrupt_ = false;
  std::uint64_t since_ = 0;  // clocks in which nothing moves
  Write write_ = Write::free;
  std::uint64_t write_index_ = 0, write_data_ = 0;
  bool is_whole_ = false, writes_well_ = false;
  Read read_ = Read::free;
  std::uint64_t read_address_ = 0, rresp_ = 0, rdata_ = 0;
};

}  // namespace kumiki::gen::engine
