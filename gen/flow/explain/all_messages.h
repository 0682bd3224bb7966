// SPDX-License-Identifier: Apache-2.0
// The messages of all rooms.
#pragma once
#include <span>
#include <string_view>

#include "ir/message.h"

namespace kumiki::flow {

// By their words, in alphabetical order.
std::span<const Message* const> all_messages();
const Message* find_message(std::string_view word);  // null: there is none

}  // namespace kumiki::flow
