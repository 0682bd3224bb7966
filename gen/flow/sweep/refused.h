// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/error.h"

namespace kumiki::flow::sweep {

// An obstacle to a sweep that shows only in its points.
struct Refused : DesignError {
  using DesignError::DesignError;
};

}  // namespace kumiki::flow::sweep
