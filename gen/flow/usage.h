// SPDX-License-Identifier: Apache-2.0
// UsageError: an option of the command line, or an argument of a program, that would have no effect
// under any configuration.
#pragma once
#include "ir/error.h"

namespace kumiki::flow {

struct UsageError : Error {
  using Error::Error;
};

}  // namespace kumiki::flow
