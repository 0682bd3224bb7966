// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/error.h"

namespace kumiki::flow::sweep {

// What a sweep cannot be done for, which shows in its points only.
struct Refused : DesignError {
  using DesignError::DesignError;
};

}  // namespace kumiki::flow::sweep
