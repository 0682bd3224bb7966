// SPDX-License-Identifier: Apache-2.0
// Which inputs the outputs of a LUT depend on.
#pragma once
#include "ir/primitive.h"

namespace kumiki::ir {

// Whether an output of a LUT changes with an input pin. `upper`: I5 of a LUT6_2 is 1, so O6 uses
// the upper half of the table. O5 of a LUT6_2 ignores pins that only O6 needs.
inline bool lut_depends(Kind kind, std::uint64_t table, bool upper, std::uint32_t output,
                        std::uint32_t pin) {
  auto inputs = static_cast<std::uint32_t>(prototype(kind).inputs.size());
  if (kind == Kind::lut6_2) {
    if (output == 0 && upper) table >>= 32;
    if (output == 1 || upper) inputs = 5;
  }
  if (pin >= inputs) return false;
  for (std::uint32_t at = 0; at < 1u << inputs; ++at)
    if ((table >> at & 1) != (table >> (at ^ 1u << pin) & 1)) return true;
  return false;
}

}  // namespace kumiki::ir
