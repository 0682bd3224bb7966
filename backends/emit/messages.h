// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/message.h"

namespace kumiki::code {

#include "backends/emit/messages.def"

}  // namespace kumiki::code
