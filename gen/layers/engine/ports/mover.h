// SPDX-License-Identifier: Apache-2.0
// Reads a list of moves and does them: words of the memory outside to the engine's stream, and what
// leaves the engine to the memory.
//
// A burst of reads begins only when the queue behind it has room for all of it, and one of writes
// when all its words are there. So nothing waits on the port for the engine. What goes wrong keeps
// further bursts from beginning; those under way come to their end.
#pragma once
#include <optional>
#include <vector>

#include "gen/hdl/queue_model.h"
#include "gen/layers/engine/ports/bursts.h"

namespace kumiki::gen::engine {

template <class R>
struct MoverIn {
  typename R::Bit rst, go, halt;  // `go`: begins the list
  typename R::UInt program_base, program_words, moves, data_base, data_words;  // steady
  // The engine's streams.
  typename R::Bit in_ready, out_valid, out_last;
  std::vector<typename R::UInt> out_data;
  // AXI4.
  typename R::Bit arready, rvalid, rlast, awready, wready, bvalid;
  typename R::UInt rresp, bresp;
  std::vector<typename R::UInt> rdata;
  static constexpr auto ports() {
    return std::tuple(port("rst", &MoverIn::rst), port("go", &MoverIn::go),
                      port("halt", &MoverIn::halt), port("program_base", &MoverIn::program_base),
                      port("program_words", &MoverIn::program_words),
                      port("moves", &MoverIn::moves), port("data_base", &MoverIn::data_base),
                      port("data_words", &MoverIn::data_words),
                      port("in_ready", &MoverIn::in_ready), port("out_valid", &MoverIn::out_valid),
                      port("out_last", &MoverIn::out_last), port("out_data", &MoverIn::out_data),
                      port("arready", &MoverIn::arready), port("rvalid", &MoverIn::rvalid),
                      port("rlast", &MoverIn::rlast), port("rresp", &MoverIn::rresp),
                      port("rdata", &MoverIn::rdata), port("awready", &MoverIn::awready),
                      port("wready", &MoverIn::wready), port("bvalid", &MoverIn::bvalid),
                      port("bresp", &MoverIn::bresp));
  }
};

template <class R>
struct MoverOut {
  typename R::Bit done, quiet;          // the list is done; nothing is under way
  typename R::Bit moved;                // a word, in the clock before
  typename R::UInt begun;               // moves
  std::vector<typename R::Bit> faults;  // flags, up to Wrong::store
  std::vector<typename R::Bit> events;  // from Event::waits_for_memory on
  typename R::Bit in_valid, out_ready;
  std::vector<typename R::UInt> in_data;
  typename R::Bit arvalid, rready, awvalid, wvalid, wlast, bready;
  typename R::UInt araddr, arlen, awaddr, awlen;
  std::vector<typename R::UInt> wdata;
  static constexpr auto ports() {
    return std::tuple(
        port("done", &MoverOut::done), port("quiet", &MoverOut::quiet),
        port("moved", &MoverOut::moved), port("begun", &MoverOut::begun),
        port("faults", &MoverOut::faults), port("events", &MoverOut::events),
        port("in_valid", &MoverOut::in_valid),
        port("in_data", &MoverOut::in_data, &MoverOut::in_valid),
        port("out_ready", &MoverOut::out_ready), port("arvalid", &MoverOut::arvalid),
        port("araddr", &MoverOut::araddr, &MoverOut::arvalid),
        port("arlen", &MoverOut::arlen, &MoverOut::arvalid), port("rready", &MoverOut::rready),
        port("awvalid", &MoverOut::awvalid), port("awaddr", &MoverOut::awaddr, &MoverOut::awvalid),
        port("awlen", &MoverOut::awlen, &MoverOut::awvalid), port("wvalid", &MoverOut::wvalid),
        port("wdata", &MoverOut::wdata, &MoverOut::wvalid),
        port("wlast", &MoverOut::wlast, &MoverOut::wvalid), port("bready", &MoverOut::bready));
  }
};

inline constexpr auto wrongs_of_the_mover = static_cast<std::size_t>(Wrong::time);
inline constexpr std::size_t events_of_the_mover = static_cast<std::size_t>(Event::count) - 1;

struct MoverPlan {
  PortsPlan ports;
  std::string module_name() const;
  friend bool operator==(const MoverPlan&, const MoverPlan&) = default;
};
MoverIn<Hardware> input_shape(const MoverPlan& plan);
// The words of a list of so many moves.
UInt words_of_list(Scope& s, const PortsPlan& plan, const UInt& moves);
MoverOut<Hardware> build_mover(Scope& s, const MoverPlan& plan, const MoverIn<Hardware>& in);

class MoverModel {
 public:
  explicit MoverModel(const PortsPlan& plan);
  void reset();
  // What it shows before the edge.
  MoverOut<Values> shown(const MoverIn<Values>& in) const;
  void clock(const MoverIn<Values>& in);

 private:
  using Word = std::vector<std::uint64_t>;  // bytes
  enum class State : std::uint8_t { rests, gathers, sums, checks, decides, waits, ends, failed };
  struct Result {
    Word word;
    bool is_last = false;
  };
  struct Arrival {
    bool is_data = false, is_wrong = false;
    Word word;
  };
  bool is_halted(const MoverIn<Values>& in) const;
  bool all_is_written() const;
  std::uint64_t field(std::uint32_t place, std::uint32_t bits) const;
  void add_wrong(Wrong what, bool happens) {
    if (happens) wrong_[static_cast<std::size_t>(what)] = true;
  }
  PortsPlan plan_;
  BurstsModel list_, read_, write_;
  QueueModel<Word> moves_, words_;
  QueueModel<bool> order_;  // of the bursts under way: whether they are not of the list
  QueueModel<Result> results_;
  State state_ = State::rests;
  Word move_;
  std::uint64_t begun_ = 0;
  bool reads_program_ = false;                          // the run that is read
  std::uint64_t list_room_ = 0, read_room_ = 0;         // words
  bool list_has_room_ = false, read_has_room_ = false;  // for a burst, a clock ago
  bool asks_ = false, asks_to_write_ = false;
  std::uint64_t araddr_ = 0, arlen_ = 0, awaddr_ = 0, awlen_ = 0;
  std::optional<Arrival> arrival_;
  std::uint64_t held_ = 0;     // results in their queue
  std::uint64_t left_ = 0;     // words of the burst that is written, less 1
  std::uint64_t pending_ = 0;  // bursts that are not answered
  bool has_enough_ = false, writes_ = false, is_last_burst_ = false;
  std::vector<bool> wrong_;
  bool moved_ = false;
};

}  // namespace kumiki::gen::engine
