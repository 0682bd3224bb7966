// SPDX-License-Identifier: Apache-2.0
// Where a carry enters a carry block, and where it leaves the block.
#pragma once
#include "ir/primitive.h"

namespace kumiki::ir {

constexpr bool is_carry(Kind k) { return k == Kind::carry4 || k == Kind::carry8; }

// Positions of a carry block. A position takes its carry from the one below, except at the bottom
// of the block and, in a dual block, of its upper half.
struct CarryShape {
  CarryShape(Kind kind, const CellView& view)
      : positions(kind == Kind::carry8 ? 8 : 4),
        chain(kind == Kind::carry8 && view.params[0] == 1 ? 4 : positions),
        has_fabric_input(kind == Kind::carry4) {}
  std::uint32_t positions, chain;
  bool has_fabric_input;  // CYINIT, ORed with CI
  static constexpr std::uint32_t di = 2;
  std::uint32_t s() const { return di + positions; }
  // Outputs are CO of every position, then O.
  bool is_carry_out(std::uint32_t output) const { return output < positions; }
  // The carry that goes to the block above without the fabric.
  bool is_cascade(std::uint32_t output) const { return output + 1 == positions; }

  // Positions of the chain that begins at `first`, up to the last one that somebody reads.
  template <class IsRead>
  std::uint32_t height(std::uint32_t first, const IsRead& is_read) const {
    std::uint32_t top = chain;
    while (top > 0 && !is_read(first + top - 1) && !is_read(positions + first + top - 1)) --top;
    return top;
  }
};

}  // namespace kumiki::ir
