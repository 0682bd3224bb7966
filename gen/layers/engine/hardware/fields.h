// SPDX-License-Identifier: Apache-2.0
// The registers of an operation in the order in which a stream brings them, the first one in the
// lowest bits.
#pragma once
#include <cstdint>

#include "gen/layers/engine/hardware/core.h"

namespace kumiki::gen::engine {

// Calls f with each register of one struct of ports, and with those of another one beside it.
template <class A, class B, class F>
void for_each_register(A& a, B& b, F&& f) {
  f(a.from, b.from);
  f(a.block_step, b.block_step);
  f(a.tile_step, b.tile_step);
  f(a.repeat_step, b.repeat_step);
  f(a.blocks, b.blocks);
  f(a.taps, b.taps);
  f(a.repeats, b.repeats);
  f(a.sets, b.sets);
  f(a.tiles, b.tiles);
  f(a.words, b.words);
  f(a.pitch, b.pitch);
  f(a.again, b.again);
  f(a.pad, b.pad);
  f(a.zero, b.zero);
  f(a.low, b.low);
  f(a.high, b.high);
  f(a.target, b.target);
  f(a.target_step, b.target_step);
  f(a.part, b.part);
  f(a.column_step, b.column_step);
  f(a.other_column_step, b.other_column_step);
  f(a.line_step, b.line_step);
  f(a.other_line_step, b.other_line_step);
  f(a.column_phases, b.column_phases);
  f(a.line_phases, b.line_phases);
  f(a.width, b.width);
  f(a.height, b.height);
  f(a.second, b.second);
  f(a.second_step, b.second_step);
}

}  // namespace kumiki::gen::engine
