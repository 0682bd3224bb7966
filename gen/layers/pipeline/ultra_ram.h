// SPDX-License-Identifier: Apache-2.0
// Memories of a pipeline in UltraRAM. Read registers and enables are those of a block memory, so a
// memory changes its place and nothing else.
#pragma once
#include <cstdint>

#include "gen/hdl/scope.h"

namespace kumiki::gen::pipeline {

// Moves block memories of modules that `s` instantiates into at most `most` UltraRAM: those that
// free the most block RAMs for each come first. A memory moves if it is written at run time and
// frees more than a RAMB36 for each UltraRAM. Modules numbered below `first_own` belong to other
// layers and stay.
void move_to_ultra_ram(Scope& s, std::int64_t most, std::uint32_t first_own);

}  // namespace kumiki::gen::pipeline
