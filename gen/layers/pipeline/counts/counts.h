// SPDX-License-Identifier: Apache-2.0
// What machines show each other without their numbers: who is ready and who has a beat. A run that
// only asks how many beats wait where needs no more. Most clocks change only a counter, so they are
// skipped.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace kumiki::gen::pipeline {

struct Given {
  std::uint32_t valid = 0;  // bit i: input i
  bool ready = false;       // of the output
  bool operator==(const Given&) const = default;
};

struct Shown {
  std::uint32_t ready = 0;  // bit i: input i
  bool valid = false;       // of the output
  bool operator==(const Shown&) const = default;
};

inline constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max() / 4;

// 0 to of - 1, again and again. gen/hdl/cycle.h builds such a counter.
struct Cyclic {
  std::int64_t of = 1, at = 0;
  bool is_last() const { return at + 1 == of; }
  std::int64_t left() const { return of - at - 1; }  // clocks before the one that ends
  // Returns whether it ends and begins again; more than one clock: at most left().
  bool ends(std::int64_t clocks = 1) {
    at += clocks;
    if (at < of) return false;
    at = 0;
    return true;
  }
};

// A machine from its first clock on, without its numbers.
class Counts {
 public:
  virtual ~Counts() = default;
  virtual Shown shown() const = 0;
  // The number of clocks with the same inputs in which only counters move and the outputs do not
  // change. 0 is always correct.
  virtual std::int64_t alike(const Given& given) const = 0;
  // Moves on by one clock, or by several at once: at most alike().
  virtual void clock(const Given& given, std::int64_t clocks) = 0;
  // Appends all state that decides what it shows from here on; times are relative to now.
  virtual void state(std::vector<std::int64_t>& all) const = 0;
};

}  // namespace kumiki::gen::pipeline
