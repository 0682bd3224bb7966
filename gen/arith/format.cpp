// SPDX-License-Identifier: Apache-2.0
#include "gen/arith/format.h"

#include <fmt/format.h>

namespace kumiki::gen::arith {

std::string to_string(const Format& format) {
  return fmt::format("{}{}", format.is_signed ? "S" : "U", format.bits);
}

}  // namespace kumiki::gen::arith
