// SPDX-License-Identifier: Apache-2.0
// What all programs with commands share: the command line, errors, Ctrl-C, the cache, the trace.
// Such programs are `kumiki`, and `kumiki-bench` of the tests.
#pragma once
#include <span>

#include "gen/cli/command.h"

namespace kumiki::cli {

struct Program {
  const char* name;
  const char* description;
  std::span<const Command> commands;
  bool keeps_trees = true;  // solved compressor trees, in the cache
};

// The exit code of main().
int run_program(const Program& program, int argc, char** argv);

}  // namespace kumiki::cli
