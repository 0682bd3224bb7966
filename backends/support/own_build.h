// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace kumiki::backends {

// Tells this program, or the library that another one has loaded, from every other build of it:
// the linker's identifier, or a hash of the file where it has none. What is computed is kept under
// it, because another version may find something else.
const std::string& own_build();

}  // namespace kumiki::backends
