// SPDX-License-Identifier: Apache-2.0
// A machine that runs 64 simulations of one design at once, one in each lane: a port has a 64-lane
// word for each of its bits.
#pragma once
#include <span>

#include "ir/machine.h"
#include "ir/primitive.h"

namespace kumiki::ir {

class LaneMachine {
 public:
  static constexpr unsigned lanes = 64;

  virtual ~LaneMachine() = default;
  virtual const PortLayout& ports() const = 0;
  virtual void power_up() = 0;
  // Ports by their number in the layout, as many words as they have bits. Inputs are applied while
  // the clock is low, outputs are read, then the clock rises.
  virtual void set(unsigned input, std::span<const Lanes> bits) = 0;
  virtual void get(unsigned output, std::span<Lanes> bits) = 0;
  virtual void clock() = 0;
};

}  // namespace kumiki::ir
