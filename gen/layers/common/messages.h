// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ir/message.h"

namespace kumiki::code {

#include "gen/layers/common/messages.def"

}  // namespace kumiki::code
