// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kumiki::ir {

// Those that this process may run on: a scheduler or taskset may have given it some only.
unsigned processors();

}  // namespace kumiki::ir
