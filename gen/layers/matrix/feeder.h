// SPDX-License-Identifier: Apache-2.0
// The writing and the reading side of the line buffer. The buffer is a ring of words, and both
// sides only count: the reading side how many words more there are than the present group of pixels
// needs, the writing side how many words are held for rows that have not read them yet.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

struct Loader {
  Net ready;                   // a beat of the stream is taken
  Net write;                   // a beat is written: of the stream, or zeros of the border
  std::vector<Net> is_border;  // which of its words are zeros of the border
  UInt address;                // in beats
};

// What the reading side tells the writing side.
struct Progress {
  Net moves;                  // to the next group in this clock
  Net to_last;                // with `moves`: that is the last group of the line
  Net line_ends, frame_ends;  // with `moves`: beyond the line, beyond the frame
};

struct FeederIn {
  Net rst, en, in_valid, loaded;
};

struct Feeder {
  Loader loader;
  // Addresses of words for row 0, two clocks before its memories answer.
  std::vector<UInt> pixel_addresses;
  UInt weight_address;
  Net start;  // a set begins with the operands that the memories give in the next clock
  Net last;   // the set that begins or goes on is the last of its frame
};

Feeder build_feeder(Scope& s, const MatrixPlan& plan, const FeederIn& in);

}  // namespace kumiki::gen::matrix
