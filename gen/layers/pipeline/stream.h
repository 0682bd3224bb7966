// SPDX-License-Identifier: Apache-2.0
// How a tensor's numbers pass between two machines: the pixels of a map in raster order, the
// channels of each pixel in blocks, one block a beat. Element i of the beat of block b is channel
// lanes * b + i; elements past the last channel mean nothing. A vector is one pixel.
#pragma once
#include <cstdint>

#include "gen/arith/format.h"

namespace kumiki::gen::pipeline {

struct Stream {
  std::int64_t height = 1, width = 1, channels = 1;
  std::int64_t lanes = 1;  // channels in a beat
  arith::Format format;    // of a number: the same bits as in the graph
  std::int64_t pixels() const { return height * width; }
  std::int64_t blocks() const { return (channels + lanes - 1) / lanes; }
  std::int64_t beats() const { return pixels() * blocks(); }  // in a frame
  std::int64_t bits() const { return lanes * format.bits; }   // in a beat
  Stream with(const arith::Format& numbers) const {
    Stream same = *this;
    same.format = numbers;
    return same;
  }
  bool operator==(const Stream&) const = default;
};

}  // namespace kumiki::gen::pipeline
