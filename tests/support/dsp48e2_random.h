// SPDX-License-Identifier: Apache-2.0
// Random legal DSP48E2 configurations and stimulus for them, the same everywhere for one seed.
#pragma once
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "ir/primitives/dsp48e2_legality.h"
#include "ir/primitives/dsp48e2_model.h"

namespace kumiki::tests {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t word() { return engine_(); }
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  // Corners of a width (0, -1, least, greatest, one bit) as often as anything in between.
  std::uint64_t operand(unsigned width);

 private:
  std::mt19937_64 engine_;
};

ir::Dsp48e2Attributes random_dsp48e2(Random& random);

// Inputs cycle after cycle. Controls stay for a few cycles and are legal for the attributes, except
// for one cycle in eight when `illegal_too`: the models are defined for those as well.
class Dsp48e2Stimulus {
 public:
  Dsp48e2Stimulus(const ir::Dsp48e2Attributes& attributes, std::uint64_t seed,
                  bool illegal_too = true);
  ir::Dsp48e2Inputs next();

 private:
  struct Controls {
    std::uint64_t opmode, alumode, carryinsel;
  };
  Controls random_controls();
  void choose_controls();

  ir::Dsp48e2Attributes attributes_;
  Random random_;
  bool illegal_too_;
  std::array<Controls, 16> legal_;
  Controls now_{};
};

}  // namespace kumiki::tests
