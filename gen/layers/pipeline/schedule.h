// SPDX-License-Identifier: Apache-2.0
// When a machine takes beats and shows results, as data. A plan says its schedule once, with
// `schedule()`. The clocks of a frame, the counts that size queues and drive the model, and the
// counters of the hardware all come from it.
//
// A schedule is one of these kinds. Each has
//   std::int64_t pieces;                      // parts of a frame that are computed alike, each
//                                             // from its own part of the inputs
//   std::int64_t interval() const;            // clocks from frame to frame, if nothing waits
//   std::unique_ptr<Counts> counts() const;   // clock by clock (counts/)
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "gen/layers/pipeline/counts/counts.h"

namespace kumiki::gen::matrix {
struct MatrixPlan;
}

namespace kumiki::gen::pipeline {

// Stages that all move or all stand still, with two beats of room behind them. They take a beat of
// every input at once (machines/island.h, machines/stages.h).
struct Moving {
  std::int64_t pieces = 1, beats = 1;  // pixels of a frame, beats of a pixel
  int stages = 0;
  // Every input has a register in which its beats wait for those of the others.
  bool holds = false;
  std::size_t inputs = 1;
  std::int64_t interval() const { return pieces * beats; }
  std::unique_ptr<Counts> counts() const;
};

// Some beats of each input in turn, with two beats of room behind them.
struct Turns {
  std::int64_t pieces = 1;          // rounds of a frame
  std::vector<std::int64_t> beats;  // of each input in its turn
  std::int64_t in_round() const;
  std::int64_t interval() const { return pieces * in_round(); }
  std::unique_ptr<Counts> counts() const;
};

// Some beats of a frame that follow each other, with two beats of room behind them. The others are
// dropped.
struct Selection {
  static constexpr std::int64_t pieces = 1;
  std::int64_t of = 1, first = 0, beats = 1;
  std::int64_t interval() const { return of; }
  std::unique_ptr<Counts> counts() const;
};

// Wide beats that are cut into narrow ones, or narrow ones that are put together.
struct Parts {
  bool cuts = false;
  std::int64_t pieces = 1, blocks = 1;     // pixels of a frame, wide beats of a pixel
  std::int64_t parts = 1, last_parts = 1;  // narrow beats of a wide one, of the last of a pixel
  std::int64_t parts_of(bool last_block) const { return last_block ? last_parts : parts; }
  // The narrow side moves a beat in every clock; the wide side never delays it.
  std::int64_t interval() const { return pieces * ((blocks - 1) * parts + last_parts); }
  std::unique_ptr<Counts> counts() const;
};

// Beats that wait in a memory, and one in a register behind it.
struct Queue {
  std::int64_t pieces = 1, depth = 2;  // beats of a frame, of the memory
  std::int64_t interval() const { return pieces; }
  std::unique_ptr<Counts> counts() const;
};

// The beats of a frame, line by line, with border positions around the map. A border position takes
// no beat and passes in a clock.
struct RasterPlan {
  std::int64_t blocks = 1;
  std::vector<bool> lines, columns;  // for each position: inside the map
  bool has_border() const;
};

// Results at the end of a pipeline that never stops. They wait in a memory of LUTs; nothing begins
// unless there is room for its result.
struct ResultsPlan {
  // Clocks from the beginning of an operation to the arrival of its result; one result a clock.
  std::int64_t clocks = 1;
  std::int64_t depth() const { return clocks <= 22 ? 32 : 64; }
  static constexpr std::int64_t most_clocks = 54;
  // The most results that may wait in the last clock before room falls. One more may arrive in that
  // clock, and one for every operation under way.
  std::int64_t limit() const { return depth() - clocks - 2; }
};

// A walk over a map. The blocks of some positions complete results.
struct Walk {
  static constexpr std::int64_t pieces = 1;
  RasterPlan around;
  std::vector<bool> lines, columns;  // a position completes results if its line and its column do
  ResultsPlan results;
  std::int64_t interval() const {
    return around.blocks * std::ssize(around.lines) * std::ssize(around.columns);
  }
  std::unique_ptr<Counts> counts() const;
};

// Lines in a memory, one of which comes while others are read: by default two, which are read one
// after the other. A single one comes whole before it is read.
struct Lines {
  struct Reading {
    std::int64_t needs = 1, frees = 1;  // whole lines
  };
  std::int64_t pieces = 1, beats = 1, gives = 1;  // beats of a line, reads of a reading
  ResultsPlan results;
  std::int64_t room = 2;  // lines of the memory: one, or enough that neither side delays the other
  std::vector<Reading> readings = {Reading{}};  // of a piece
  std::int64_t interval() const;
  std::unique_ptr<Counts> counts() const;
};

// Windows over a ring of positions. The positions of the map with its border are written one after
// the other, frame after frame. A window begins when its last position is there. Positions before
// the first one of the window make room.
struct Ring {
  static constexpr std::int64_t pieces = 1;
  RasterPlan around;
  std::int64_t steps = 1;  // clocks of a window of one block
  std::int64_t out_lines = 1, out_columns = 1;
  std::int64_t needed = 1;  // positions up to the last one of the first window
  // Positions from the start of a window to the start of the next one: in the same line, in the
  // next line, in the next frame.
  std::int64_t next_column = 1, next_line = 1, next_frame = 1;
  std::int64_t room = 1;  // positions that may be stored when a new one begins
  ResultsPlan results = {};
  std::int64_t next(bool last_column, bool last_line) const {
    return !last_column ? next_column : last_line ? next_frame : next_line;
  }
  // Found by counting. If frames alternate, the mean, rounded up.
  std::int64_t interval() const;
  std::unique_ptr<Counts> counts() const;
};

// A matrix of packed chains or trees (gen/layers/matrix), whose plan is its schedule. A frame may
// be several frames of the matrix, each with other weights.
struct OfMatrix {
  std::int64_t pieces = 1;
  const matrix::MatrixPlan& plan;
  std::int64_t clocks = 0;  // of a frame; 0: those of the plan
  std::int64_t interval() const;
  std::unique_ptr<Counts> counts() const;
};

}  // namespace kumiki::gen::pipeline
