// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/machine.h"

namespace kumiki::backends {

// A second interface of a machine whose simulator supports x and z.
class SeesUnknown {
 public:
  virtual ~SeesUnknown() = default;
  // Bits of the last outputs that were x or z.
  virtual const ir::Frame& unknown() const = 0;
};

}  // namespace kumiki::backends
