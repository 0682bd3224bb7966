// SPDX-License-Identifier: Apache-2.0
// What the vendor's ordering codes say about a device.
#pragma once
#include <optional>
#include <string_view>

#include "ir/primitive.h"

namespace kumiki::ir {

// The family whose primitives a part has, from "xczu9eg-ffvb1156-2-e" or "XC7A35T". Empty for other
// texts (Versal, Spartan-6, a device's short name).
std::optional<Family> family_of_part(std::string_view part);

}  // namespace kumiki::ir
