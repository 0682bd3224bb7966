// SPDX-License-Identifier: Apache-2.0
// Where the numbers of a map are.
//
// A place is a word of the memory of maps: `rows` channels of a pixel. Place p is row p / 4 of bank
// p mod 4, so four places in a row are read in one clock. The places of a block are line by line.
//
// A map that is read with a stride is stored in phases: the pixels whose line and column have the
// same remainders by the stride follow each other. Neighbouring windows then read neighbouring
// places whatever the stride is.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gen/layers/engine/shape.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::engine {

// The places of a walk along an axis: the first one, and the steps to the next ones, over and over.
struct Steps {
  std::int64_t first = 0;
  std::vector<std::int64_t> steps{1};
  std::int64_t at(std::int64_t i) const;
  friend bool operator==(const Steps&, const Steps&) = default;
};

struct Map {
  std::int64_t channels = 1, height = 1, width = 1;
  std::array<std::int64_t, 2> phases{1, 1};
  std::int64_t pitch = 1;  // places from a line of a phase to the next; at least its width
  std::int64_t rows = 32;  // channels of a word
  std::int64_t base = 0;   // place of the first number

  // The walk moves on by four pixels, and at most one line begins among them.
  std::int64_t least_pitch() const {
    return std::max<std::int64_t>(ceil_div(width, phases[1]), height > 1 ? EngineShape::pixels : 1);
  }
  std::int64_t blocks() const { return ceil_div(channels, rows); }
  std::int64_t lines() const { return ceil_div(height, phases[0]); }  // of a phase
  std::int64_t plane() const { return lines() * pitch; }              // of a phase
  std::int64_t block() const { return phases[0] * phases[1] * plane(); }
  std::int64_t places() const { return blocks() * block(); }
  std::int64_t phase(std::int64_t y, std::int64_t x) const { return (y * phases[1] + x) * plane(); }
  std::int64_t place(std::int64_t block_number, std::int64_t y, std::int64_t x) const {
    return base + block_number * block() + phase(y % phases[0], x % phases[1]) +
           y / phases[0] * pitch + x / phases[1];
  }
  // The places of lines first, first + step, ...; and those of columns, relative to the base.
  Steps lines_from(std::int64_t first, std::int64_t step) const;
  Steps columns_from(std::int64_t first, std::int64_t step) const;
  friend bool operator==(const Map&, const Map&) = default;
};

}  // namespace kumiki::gen::engine
