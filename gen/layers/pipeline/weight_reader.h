// SPDX-License-Identifier: Apache-2.0
// Reads streams of weights from a memory outside, over and over, through the read half of an AXI4
// master. Bursts of a stream begin only when its queue has room for them, so data never waits on
// the port and no stream blocks another. A reset lets bursts under way come to their end and drops
// them.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/hdl/ports.h"
#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct WeightReaderPlan {
  struct Channel {
    Stream words;            // of a frame
    std::int64_t first = 0;  // byte of the image, at a multiple of a page
    std::int64_t beats() const { return words.beats(); }
    std::int64_t burst() const;  // beats
    bool operator==(const Channel&) const = default;
  };
  std::int64_t word_bits = 128;
  std::vector<Channel> channels;

  static constexpr std::int64_t page = 4096;  // bytes; no burst crosses its end
  static constexpr std::uint32_t address_bits = 40, low_bits = 26;  // all; of the lower half
  static constexpr std::uint32_t element_bits = 32;                 // of rdata
  static constexpr std::int64_t bursts_of_a_queue = 4;
  static constexpr std::int64_t incrementing = 1;  // ARBURST
  static constexpr int clocks_of_a_turn = 4;       // in which a stream may ask for a burst
  std::int64_t word_bytes() const { return word_bits / 8; }
  std::int64_t size_code() const;  // ARSIZE
  std::int64_t bytes() const;      // of the image
  // Clocks in which the words of a frame come, if the memory answers with one in each.
  std::int64_t interval() const;
  std::uint32_t place_bits() const;  // of a word of the image
  std::uint32_t count_bits() const;  // of bursts under way
  std::int64_t most_bursts() const { return bursts_of_a_queue * std::ssize(channels); }
  std::string module_name() const;
  bool operator==(const WeightReaderPlan&) const = default;
};
WeightReaderPlan weight_reader(std::int64_t word_bits, const std::vector<Stream>& words);

template <class R>
struct WeightReaderIn {
  typename R::Bit rst;
  typename R::UInt base;               // of the image, at a multiple of a page
  std::vector<typename R::Bit> taken;  // by the reader of each stream
  typename R::Bit arready, rvalid, rlast;
  typename R::UInt rresp;
  std::vector<typename R::UInt> rdata;
  static constexpr auto ports() {
    return std::tuple(
        port("rst", &WeightReaderIn::rst), port("base", &WeightReaderIn::base),
        port("taken", &WeightReaderIn::taken), port("arready", &WeightReaderIn::arready),
        port("rvalid", &WeightReaderIn::rvalid), port("rlast", &WeightReaderIn::rlast),
        port("rresp", &WeightReaderIn::rresp), port("rdata", &WeightReaderIn::rdata));
  }
};

template <class R>
struct WeightReaderOut {
  std::vector<typename R::Bit> valid;  // of each stream
  std::vector<typename R::UInt> data;  // lanes of the first stream, then those of the next
  typename R::UInt araddr, arlen;
  typename R::Bit arvalid, rready;
  // The memory has answered with an error, or with words that nobody asked for. Stays until a
  // reset.
  typename R::Bit error;
  static constexpr auto ports() {
    return std::tuple(port("valid", &WeightReaderOut::valid), port("data", &WeightReaderOut::data),
                      port("araddr", &WeightReaderOut::araddr, &WeightReaderOut::arvalid),
                      port("arlen", &WeightReaderOut::arlen, &WeightReaderOut::arvalid),
                      port("arvalid", &WeightReaderOut::arvalid),
                      port("rready", &WeightReaderOut::rready),
                      port("error", &WeightReaderOut::error));
  }
};

// The queue of a stream, and that of the streams whose bursts are under way.
std::shared_ptr<const Machine> queue_of(const WeightReaderPlan::Channel& channel);
std::shared_ptr<const Machine> order_of(const WeightReaderPlan& plan);

WeightReaderIn<Hardware> input_shape(const WeightReaderPlan& plan);
WeightReaderOut<Hardware> build_weight_reader(Scope& s, const WeightReaderPlan& plan,
                                              const WeightReaderIn<Hardware>& in);

class WeightReaderModel {
 public:
  explicit WeightReaderModel(WeightReaderPlan plan);
  void power_up();
  const WeightReaderPlan& plan() const { return plan_; }
  // What it shows before the edge; does not depend on the inputs.
  const WeightReaderOut<Values>& shown() const { return shown_; }
  void clock(const WeightReaderIn<Values>& in);

 private:
  struct Arrival {
    bool is_there = false;
    std::size_t channel = 0;
    std::vector<std::uint64_t> lanes = {};
  };
  // The registers that a request passes.
  struct Asked {
    std::int64_t place = 0, length = 0;
  };
  void reset();
  void show();
  void ask(const WeightReaderIn<Values>& in, bool issues);
  void count_bursts(const WeightReaderIn<Values>& in, bool issues, bool ends);
  std::vector<std::uint64_t> lanes_of(std::size_t channel,
                                      const std::vector<std::uint64_t>& rdata) const;
  WeightReaderPlan plan_;
  std::vector<MachineModel> queues_;
  MachineModel order_;
  std::vector<std::int64_t> credits_, taken_, place_;
  std::vector<bool> returns_;  // a credit, in the next clock
  int phase_ = 0;
  std::size_t turn_ = 0;
  bool wanted_ = false, issues_ = false, asks_next_ = false, asks_ = false;
  Asked picked_, halfway_, whole_;  // a clock apart
  std::uint64_t low_ = 0;           // of the address of `halfway_`, with its carry
  std::uint64_t address_ = 0;       // of `whole_`
  std::uint64_t araddr_ = 0, arlen_ = 0;
  Arrival arrival_;
  bool has_too_many_ = false;
  std::uint64_t under_way_ = 0;  // bursts
  bool some_ = false, ended_ = false, drains_ = false, has_error_ = false;
  int since_reset_ = 4;  // clocks, up to 4
  WeightReaderOut<Values> shown_;
};

}  // namespace kumiki::gen::pipeline
