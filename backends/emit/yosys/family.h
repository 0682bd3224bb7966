// SPDX-License-Identifier: Apache-2.0
// The name of a family in Yosys' synth_xilinx.
#pragma once
#include <string_view>

#include "ir/primitive.h"

namespace kumiki::backends {

constexpr std::string_view yosys_family(ir::Family family) {
  switch (family) {
    case ir::Family::series7:
      return "xc7";
    case ir::Family::ultrascale:
      return "xcu";
    default:
      return "xcup";
  }
}

}  // namespace kumiki::backends
