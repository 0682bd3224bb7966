// SPDX-License-Identifier: Apache-2.0
// The process between this program and a tool. It leads the tool's process group and reports how
// the tool ended. It ends the whole group with the tool, or when the program dies in any way.
#pragma once
#include <spawn.h>
#include <sys/types.h>

namespace kumiki::backends {

// Everything that it needs, made before the fork: after the fork nothing may be allocated.
struct Supervised {
  const char* file;        // the program
  char* const* arguments;  // with the name in front
  char* const* environment;
  const char* directory;  // the working directory; nullptr: the current one
  const posix_spawnattr_t* attributes;
  int output;    // its stdout and stderr
  int report;    // the file to which a Report is written
  pid_t parent;  // this program
};

struct Report {
  enum Kind : int { not_started, no_directory, ended } kind;
  int value;  // errno, or the status from waitpid
};

// Called in the child of a fork, with all signals blocked.
[[noreturn]] void supervise(const Supervised& run) noexcept;

}  // namespace kumiki::backends
