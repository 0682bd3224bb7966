// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace kumiki::backends {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

}  // namespace kumiki::backends
