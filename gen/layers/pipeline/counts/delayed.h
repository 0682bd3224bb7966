// SPDX-License-Identifier: Apache-2.0
// A shift register of bits, stored as runs of equal bits, so that it advances many clocks at once.
#pragma once
#include <cstdint>
#include <vector>

namespace kumiki::gen::pipeline {

class Delayed {
 public:
  explicit Delayed(std::int64_t stages);  // all 0
  // The bit that leaves in this clock.
  bool leaves(bool enters) const { return stages_ == 0 ? enters : runs_[first_].bit; }
  // Clocks in which `leaves` does not change.
  std::int64_t alike(bool enters) const;
  void clock(bool enters, std::int64_t clocks = 1);
  void state(std::vector<std::int64_t>& all) const;

 private:
  struct Run {
    bool bit = false;
    std::int64_t clocks = 0;
  };
  std::int64_t stages_;
  std::vector<Run> runs_;  // a ring buffer
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace kumiki::gen::pipeline
