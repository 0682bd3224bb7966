// SPDX-License-Identifier: Apache-2.0
// Ports of chains whose weights rest in the slices. Operand i of chain c is element c * terms + i
// and comes with its slice's skew; a set may begin in every clock. A swap in the clock in which a
// set begins serves this set and all after it.
#pragma once
#include "gen/hdl/ports.h"

namespace kumiki::gen::stored_dot {

template <class R>
struct StoredIn {
  typename R::Bit rst;                    // drops a load, complete or not, and the sets in flight
  typename R::Bit en;                     // 0 holds everything
  typename R::Bit in_valid;               // a set begins
  typename R::Bit weight_valid;           // `weights` has words of the next load
  typename R::Bit swap;                   // taken when a load is complete, ignored otherwise
  std::vector<typename R::SInt> weights;  // for each chain one word a column, or its bus
  std::vector<typename R::SInt> x, d;     // d: only with the pre-adder
  static constexpr auto ports() {
    return std::tuple(port("rst", &StoredIn::rst), port("en", &StoredIn::en),
                      port("in_valid", &StoredIn::in_valid),
                      port("weight_valid", &StoredIn::weight_valid), port("swap", &StoredIn::swap),
                      port("weights", &StoredIn::weights), port("x", &StoredIn::x),
                      port("d", &StoredIn::d));
  }
};

template <class R>
struct StoredOut {
  typename R::Bit weight_ready;  // offered words are taken
  typename R::Bit full;          // a load is complete: a swap is taken
  typename R::Bit out_valid;
  std::vector<typename R::SInt> p;  // the sum of each chain; with pairs the sum of x, then of d
  static constexpr auto ports() {
    return std::tuple(port("weight_ready", &StoredOut::weight_ready),
                      port("full", &StoredOut::full), port("out_valid", &StoredOut::out_valid),
                      port("p", &StoredOut::p, &StoredOut::out_valid));
  }
};

}  // namespace kumiki::gen::stored_dot
