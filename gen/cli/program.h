// SPDX-License-Identifier: Apache-2.0
// A program of commands, with everything that is the same whatever they are: the command line,
// errors, Ctrl-C, the cache, the trace. `kumiki` is one, `kumiki-bench` of the tests another.
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
