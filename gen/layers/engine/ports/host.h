// SPDX-License-Identifier: Apache-2.0
// What a processor does with an engine that has ports, clock by clock: it writes registers, starts
// the engine, waits for the interrupt, and reads what has happened.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "gen/layers/engine/ports/ports.h"

namespace kumiki::gen::engine {

// Reads and writes registers, one after the other.
class RegisterPort {
 public:
  struct Access {
    std::uint64_t address = 0;
    std::optional<std::uint64_t> data = {};  // none: it reads
    std::uint64_t strobes = 0xf;
  };
  struct Answer {
    bool is_error = false;
    std::uint64_t data = 0;
  };
  void ask(const Access& access) { accesses_.push_back(access); }
  void write(Register r, std::uint64_t data) { ask({address_of(r), data}); }
  void read(Register r) { ask({address_of(r)}); }
  bool is_idle() const { return accesses_.empty(); }
  // The answers since the last call.
  std::vector<Answer> take() { return std::exchange(answers_, {}); }

  void drive(PortsIn<Values>& in) const;
  void watch(const PortsIn<Values>& in, const PortsOut<Values>& out);

  static constexpr std::uint64_t address_of(Register r) {
    return 4 * static_cast<std::uint64_t>(r);
  }
  static constexpr std::uint64_t address_of(Event e) {
    return PortsPlan::counters_from + 4 * static_cast<std::uint64_t>(e);
  }

 private:
  std::deque<Access> accesses_;
  std::vector<Answer> answers_;
  bool is_asked_ = false;  // the answer to the first one is awaited
};

class PortsHost {
 public:
  struct Ranges {
    std::uint64_t program_base = 0, program_words = 0, moves = 0, data_base = 0, data_words = 0;
    std::uint64_t patience = PortsPlan::first_patience;
    bool has_failed = false;  // begins with the bit of a register that resets, not with rst
  };
  // Runs the program once.
  explicit PortsHost(const Ranges& ranges);
  void drive(PortsIn<Values>& in) const;
  void watch(const PortsIn<Values>& in, const PortsOut<Values>& out);
  bool is_done() const { return stage_ == Stage::done; }
  std::uint64_t status() const { return status_; }
  bool has_failed() const { return (status_ >> failed_place & 1) != 0; }
  bool was_refused() const { return was_refused_; }  // a register
  std::uint64_t moves_begun() const { return moves_begun_; }
  std::uint64_t count(Event e) const { return counts_[static_cast<std::size_t>(e)]; }
  std::int64_t clocks() const { return clocks_; }

 private:
  enum class Stage : std::uint8_t { resets, sets, runs, looks, done };
  RegisterPort port_;
  Stage stage_ = Stage::resets;
  bool was_refused_ = false;
  std::uint64_t status_ = 0, moves_begun_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(Event::count)> counts_{};
  std::int64_t clocks_ = 0;
};

}  // namespace kumiki::gen::engine
