// SPDX-License-Identifier: Apache-2.0
// Random stimulus for an array: small layers in sequence, with random data and randomly stalling
// streams. The descriptors are valid; sometimes a reset interrupts.
#pragma once
#include <random>
#include <vector>

#include "gen/layers/array/plan.h"
#include "gen/layers/array/ports.h"
#include "gen/layers/array/registers.h"

namespace kumiki::gen::array {

class Stimulus {
 public:
  explicit Stimulus(const ArrayPlan& plan, std::uint64_t seed = 1) : plan_(plan), random_(seed) {}
  // Turns random inputs into inputs of the stimulus.
  void drive(std::uint64_t cycle, ArrayIn<Values>& in);

 private:
  // A random layer in terms of its descriptors.
  struct Shape {
    bool fc = false, batch = false, down = false, across = false;
    std::int64_t blocks = 1, strips = 1, turns = 1, groups = 1;
    std::int64_t channels = 1, steps = 1, slots = 1;
    Phases phases;
    std::int64_t all() const { return blocks * strips * turns * groups; }
  };
  Shape any_shape(bool small);
  std::int64_t window(const Shape& shape) const;
  void describe_input(const Shape& shape, Descriptor& descriptor);
  void describe_output(const Shape& shape, Descriptor& descriptor);
  void next_program();
  std::int64_t up_to(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most)) + 1;
  }

  ArrayPlan plan_;
  std::mt19937_64 random_;
  std::vector<RegisterWrite> writes_;
  std::size_t written_ = 0;
  std::uint64_t rest_ = 0;          // remaining clocks of this program
  unsigned valid_ = 8, ready_ = 8;  // in how many of eight clocks
};

}  // namespace kumiki::gen::array
