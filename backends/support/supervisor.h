// SPDX-License-Identifier: Apache-2.0
// The process between us and a tool. It leads the tool's process group, tells how the tool ended,
// and ends the whole group with the tool or when we die, in whatever way.
#pragma once
#include <spawn.h>
#include <sys/types.h>

namespace kumiki::backends {

// Everything that it needs, made before the fork: after the fork nothing may be allocated.
struct Supervised {
  const char* file;        // the program
  char* const* arguments;  // with the name in front
  char* const* environment;
  const char* directory;  // where it runs; nullptr: here
  const posix_spawnattr_t* attributes;
  int output;    // its stdout and stderr
  int report;    // where a Report is written
  pid_t parent;  // we
};

struct Report {
  enum Kind : int { not_started, no_directory, ended } kind;
  int value;  // errno, or as waitpid tells it
};

// In the child of a fork, with all signals blocked.
[[noreturn]] void supervise(const Supervised& run) noexcept;

}  // namespace kumiki::backends
