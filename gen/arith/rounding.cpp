// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/rounding.h"

namespace kumiki::gen {

std::string to_string(Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      return "down";
    case Rounding::half_up:
      return "half up";
    case Rounding::half_away:
      return "half away from zero";
    case Rounding::half_even:
      return "half to even";
  }
  return "?";
}

}  // namespace kumiki::gen
