// SPDX-License-Identifier: Apache-2.0
// The calls with which this test program changes files: any of them may be the last one, or fail.
#pragma once
#include <functional>

namespace kumiki::tests {

enum class Fault {
  none,
  killed,      // the process ends before the call; of a text half is written
  power_lost,  // the same, and what was written and not synced is gone
  refused,     // this call fails with EIO
  edited,      // just before the call `edit` does its work
};
// What somebody else does meanwhile.
extern std::function<void()> edit;

// Runs `work` in a child in which the `at`th call has the fault; whether it came so far.
bool with_fault(Fault fault, int at, const std::function<void()>& work);

// While it lives no folder can be locked, as on some network file systems.
struct WithoutFolderLocks {
  WithoutFolderLocks();
  ~WithoutFolderLocks();
};

}  // namespace kumiki::tests
