// SPDX-License-Identifier: Apache-2.0
// A run of words as bursts of AXI4: none is longer than `longest`, and all but the first begin at a
// multiple of it. A page is a multiple of the longest burst, so none crosses the end of one.
#pragma once
#include <cstdint>
#include <string>

#include "gen/hdl/hdl.h"
#include "gen/layers/engine/ports/plan.h"

namespace kumiki::gen::engine {

struct BurstsPlan {
  std::uint32_t word_bytes = 16, longest = 32;  // powers of two; words
  std::string module_name() const;
  friend bool operator==(const BurstsPlan&, const BurstsPlan&) = default;
};

template <class R>
struct BurstsIn {
  typename R::Bit rst, start;
  typename R::UInt base;           // page where the range begins; steady from a clock after `start`
  typename R::UInt first, less_1;  // words of the range; they come with `start`
  typename R::Bit taken;           // the burst that is shown; only while it is valid
  static constexpr auto ports() {
    return std::tuple(port("rst", &BurstsIn::rst), port("start", &BurstsIn::start),
                      port("base", &BurstsIn::base), port("first", &BurstsIn::first),
                      port("less_1", &BurstsIn::less_1), port("taken", &BurstsIn::taken));
  }
};

template <class R>
struct BurstsOut {
  typename R::Bit busy, valid;
  typename R::Bit last;              // burst of the run
  typename R::UInt address, length;  // in bytes; words less 1
  static constexpr auto ports() {
    return std::tuple(port("busy", &BurstsOut::busy), port("valid", &BurstsOut::valid),
                      port("last", &BurstsOut::last, &BurstsOut::valid),
                      port("address", &BurstsOut::address, &BurstsOut::valid),
                      port("length", &BurstsOut::length, &BurstsOut::valid));
  }
};

BurstsIn<Hardware> input_shape(const BurstsPlan& plan);
BurstsOut<Hardware> build_bursts(Scope& s, const BurstsPlan& plan, const BurstsIn<Hardware>& in);

// A burst is valid three clocks after its run has started, or after the one before it was taken.
class BurstsModel {
 public:
  explicit BurstsModel(const BurstsPlan& plan) : plan_(plan) {}
  void reset() { busy_ = false, clocks_ = 0; }
  BurstsOut<Values> shown() const;
  void clock(const BurstsIn<Values>& in);

 private:
  static constexpr int clocks_to_valid = 3;
  BurstsPlan plan_;
  bool busy_ = false;
  int clocks_ = 0;  // since the start, up to those
  std::uint64_t base_ = 0, first_ = 0, left_ = 0;
};

}  // namespace kumiki::gen::engine
