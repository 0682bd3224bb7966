// SPDX-License-Identifier: Apache-2.0
// A memory outside behind an AXI4 port, for simulations: it answers late, pauses, limits its
// bandwidth, and fails when it is told to. It also says which rule of AXI4 the master breaks.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gen/layers/engine/ports/ports.h"

namespace kumiki::gen::engine {

struct MemoryOptions {
  std::int64_t latency = 40, more = 0;  // clocks to the first word; up to so many more, by chance
  // A channel pauses in one of so many clocks, by chance; 0: never.
  unsigned pauses = 0;
  // Words in so many clocks, reads and writes together; 0 clocks: no limit.
  std::int64_t words = 1, clocks = 0;
  std::uint64_t seed = 1;
  // One burst of so many is answered with an error; 0: none.
  unsigned wrong_reads = 0, wrong_writes = 0;
};

class OutsideMemory {
 public:
  struct Range {
    std::uint64_t base = 0;  // address
    std::shared_ptr<std::vector<std::uint8_t>> bytes = {};
    bool is_written = false;  // the master may write it
  };
  OutsideMemory(const PortsPlan& plan, std::vector<Range> ranges, const MemoryOptions& options);
  void drive(PortsIn<Values>& in);
  void watch(const PortsIn<Values>& in, const PortsOut<Values>& out);

  Range& range(std::size_t i) { return ranges_[i]; }
  const Range& range(std::size_t i) const { return ranges_[i]; }
  // What the master did against the rules, first of all; empty: nothing.
  const std::string& broken() const { return broken_; }
  std::int64_t words() const { return words_; }  // that were read and written
  std::int64_t wrong_answers() const { return wrong_answers_; }
  bool is_idle() const { return reads_.empty() && writes_.empty() && answers_.empty(); }

 private:
  struct Burst {
    std::int64_t clock = 0;  // of its first word
    std::uint64_t address = 0;
    std::uint64_t words = 0;  // that are still to come
    bool is_wrong = false;
  };
  struct Answer {
    std::int64_t clock = 0;
    bool is_wrong = false;
  };
  // A request must stay as it is until it is taken.
  struct Held {
    bool is_there = false;
    std::vector<std::uint64_t> what = {};
  };
  bool by_chance(unsigned one_in) { return one_in != 0 && random_() % one_in == 0; }
  std::int64_t in_time();
  std::uint8_t* at(std::uint64_t address, bool writes);
  void require(bool holds, const std::string& what);
  void require_held(Held& held, bool valid, bool ready, std::vector<std::uint64_t> what,
                    const char* channel);
  Burst taken(std::uint64_t address, std::uint64_t length, std::uint64_t size, std::uint64_t burst,
              bool writes);
  PortsPlan plan_;
  std::vector<Range> ranges_;
  MemoryOptions options_;
  std::mt19937_64 random_;
  std::deque<Burst> reads_, writes_;
  std::deque<Answer> answers_;
  Held read_request_, write_request_, write_word_;
  bool gives_ = false, answers_now_ = false;
  std::int64_t budget_ = 0, clock_ = 0, words_ = 0, wrong_answers_ = 0;
  std::string broken_;
};

}  // namespace kumiki::gen::engine
