// SPDX-License-Identifier: Apache-2.0
// Compares expected and actual outputs of one lane, cycle by cycle.
#pragma once
#include <deque>

#include "backends/sim/lockstep/lockstep.h"

namespace kumiki::backends::lockstep {

class Comparison {
 public:
  Comparison(const ir::PortLayout& ports, const LockstepOptions& options)
      : ports_(ports), options_(options), low_(ports.output_limbs), high_(ports.output_limbs) {}

  // `unknown` and `valid` (the compared bits) may be null.
  void compare(std::uint64_t cycle, unsigned lane, const ir::Frame& in, ir::Frame expected,
               ir::Frame got, const ir::Frame* unknown, const ir::Frame* valid);
  // Whether the run can end after this cycle.
  bool is_enough(std::uint64_t cycle) const;
  void finish(LockstepResult& result);

 private:
  void note(std::uint64_t cycle, unsigned lane, std::uint32_t output, const ir::Frame& expected,
            const ir::Frame& got, const ir::Frame* unknown);

  const ir::PortLayout& ports_;
  const LockstepOptions& options_;
  LockstepResult result_;
  ir::Frame low_, high_;  // expected bits that were 0, that were 1
  // The last inputs of every lane, until the first mismatch.
  std::vector<std::deque<ir::Frame>> history_;
};

}  // namespace kumiki::backends::lockstep
