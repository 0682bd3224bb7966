// SPDX-License-Identifier: Apache-2.0
// One slice with the accumulators of its elements: two elements up to 8 bits, one above.
// Everything moves in steps: `go` enables all of it.
#pragma once
#include "gen/hdl/ports.h"
#include "gen/layers/array/plan.h"

namespace kumiki::gen::array {

// Registers of a step, counted from the one that captures the operands.
inline constexpr int step_multiplied = 2;  // the product and its addend
inline constexpr int step_captured = 4;    // the sum is complete and enters the drain's memory

struct SlicePlan {
  int depth = 8;  // T
  int operand_bits = 8;
  bool packed = true;  // two elements
  int sum_bits = ir::arch::dsp48e2.p;
  bool swapped = false;
  // Of one slot: all accumulators of the slice.
  int lane_bits() const { return packed ? ir::arch::dsp48e2.p + overflow_bits : sum_bits; }
  std::string module_name() const;
  bool operator==(const SlicePlan&) const = default;
};
SlicePlan slice_plan(const ArrayPlan& plan);

template <class R>
struct SliceIn {
  typename R::Bit go, load;           // load: the operands are new in this step
  std::vector<typename R::Bit> swap;  // fully connected: A and B are exchanged
  typename R::UInt common;
  std::vector<typename R::UInt> individual;  // for the low and the high lane, or for the only one
  typename R::Bit again;  // at step_multiplied: adds to the accumulator instead of loading it
  std::vector<typename R::Bit> counted_again;  // at step_captured, packed
  std::vector<typename R::UInt> place;         // in the ring of accumulators
  typename R::Bit capture;                     // at step_captured
  typename R::UInt capture_at;                 // {half, slot}
  typename R::UInt drain_at;
  static constexpr auto ports() {
    return std::tuple(
        port("go", &SliceIn::go), port("load", &SliceIn::load), port("swap", &SliceIn::swap),
        port("common", &SliceIn::common), port("individual", &SliceIn::individual),
        port("again", &SliceIn::again), port("counted_again", &SliceIn::counted_again),
        port("place", &SliceIn::place), port("capture", &SliceIn::capture),
        port("capture_at", &SliceIn::capture_at), port("drain_at", &SliceIn::drain_at));
  }
};

template <class R>
struct SliceOut {
  typename R::UInt sums;  // {overflows of the low lane, P}, or P; one clock after drain_at
  static constexpr auto ports() { return std::tuple(port("sums", &SliceOut::sums)); }
};

SliceOut<Hardware> build_slice(Scope& s, const SlicePlan& plan, const SliceIn<Hardware>& in);

}  // namespace kumiki::gen::array
