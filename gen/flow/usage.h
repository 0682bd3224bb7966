// SPDX-License-Identifier: Apache-2.0
// What a caller asks for says nothing that is there, whatever the configuration: of the command
// line an option, of a program an argument.
#pragma once
#include "ir/error.h"

namespace kumiki::flow {

struct UsageError : Error {
  using Error::Error;
};

}  // namespace kumiki::flow
