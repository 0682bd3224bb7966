// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kumiki::ir {

// The processors that this process may use: a scheduler or taskset may limit them.
unsigned processors();

}  // namespace kumiki::ir
