// SPDX-License-Identifier: Apache-2.0
// What machines show each other without their numbers: who is ready and who has a beat. A run of a
// pipeline that only asks how many beats wait where needs no more, and most clocks change nothing
// but a counter: those are skipped.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

namespace kumiki::gen::pipeline {

struct Given {
  std::uint32_t valid = 0;  // bit i: of input i
  bool ready = false;       // of the output
  bool operator==(const Given&) const = default;
};

struct Shown {
  std::uint32_t ready = 0;  // bit i: of input i
  bool valid = false;       // of the output
  bool operator==(const Shown&) const = default;
};

inline constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max() / 4;

// A machine from its first clock on. It shows in every clock what its model shows; tests hold the
// two together (tests/support/machine_frames.h).
class Counts {
 public:
  virtual ~Counts() = default;
  virtual Shown shown() const = 0;
  virtual void clock(const Given& given) = 0;
  // So many clocks, if it is given the same in all of them, only move counters that skip() moves at
  // once, and what is shown stays as it is. 0 is always true.
  virtual std::int64_t alike(const Given& given) const = 0;
  // At most alike() clocks.
  virtual void skip(std::int64_t clocks, const Given& given) = 0;
  // Appends all that decides what it shows from here on; of times how far they are away.
  virtual void state(std::vector<std::int64_t>& all) const = 0;
};

}  // namespace kumiki::gen::pipeline
