// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace kumiki::backends {

// Identifies this build of the program, or of the library that another program has loaded. It is
// the linker's identifier, or a hash of the file if there is none. Computed results are stored
// under it, because another version may find other results.
const std::string& own_build();

}  // namespace kumiki::backends
