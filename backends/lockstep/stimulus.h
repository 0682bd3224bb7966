// SPDX-License-Identifier: Apache-2.0
// What goes into both machines of a lockstep run, decided by the seed alone: corners and random
// data, stalls alone and in bursts, resets in the middle, frames of the user's first.
#pragma once
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ir/machine.h"

namespace kumiki::backends {

enum class Role { data, enable, reset, valid };

// By the name of a port: "en" or "ce", "rst", "valid", alone or behind a '_'. Only ports of one bit
// have another role than data.
Role role_of(const ir::PortSlot& port);

struct StimulusOptions {
  std::uint64_t seed = 1;
  double stall = 0.1;        // fraction of the cycles in which an enable is 0 or a valid is missing
  std::uint64_t resets = 1;  // of every reset port, spread over the run
  std::uint64_t cycles = 1000;
  std::vector<ir::Frame> first = {};                    // given by the user, as they are
  std::function<void(ir::Frame&)> constrain = nullptr;  // makes a frame legal
};

// What was tried: a run that never stalled has shown nothing about stalls.
struct StimulusCounts {
  std::uint64_t stalls = 0, resets = 0, corners = 0, random = 0, given = 0;
};

class Stimulus {
 public:
  Stimulus(const ir::PortLayout& ports, StimulusOptions options);
  void next(ir::Frame& inputs);
  const StimulusCounts& counts() const { return counts_; }

 private:
  struct Port {
    ir::PortSlot slot;
    Role role;
    std::uint64_t stalled_for = 0;  // cycles left of a burst
  };
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(double p) { return static_cast<double>(random_() >> 11) * 0x1p-53 < p; }
  void choose_mood();
  void drive(Port& port, ir::Frame& inputs);
  void drive_data(const ir::PortSlot& slot, ir::Frame& inputs);
  bool drive_stall(Port& port);
  bool resets_now(const Port& port);
  void fill(const ir::PortSlot& slot, ir::Frame& inputs, unsigned corner);

  enum class Mood { random, corners, one_corner };
  std::uint32_t input_limbs_;
  std::vector<Port> ports_;
  StimulusOptions options_;
  StimulusCounts counts_;
  std::mt19937_64 random_;
  std::uint64_t cycle_ = 0, mood_left_ = 0;
  unsigned corner_ = 0;
  Mood mood_ = Mood::random;
  std::vector<std::uint64_t> reset_at_;
};

}  // namespace kumiki::backends
