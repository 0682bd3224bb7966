// SPDX-License-Identifier: Apache-2.0
// A program in a memory outside: its list of moves, the words of the engine's stream, and where the
// data range has the maps.
//
// A map that waits outside, or leaves as a result, has the order of the load that reads it, so that
// many words follow each other. Each load of an input has words of its own, which the host fills.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gen/graph/interpret.h"
#include "gen/layers/engine/ports/plan.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

// Where numbers of a tensor are in the data range.
struct Area {
  std::size_t image = 0, number = 0;  // of the input or output
  std::int64_t first_byte = 0;        // of the map
  Map map = {};                       // its base is 0
  // What the map has of the tensor. A column of it may have several columns as channels.
  std::int64_t first_channel = 0, first_line = 0, lines = 1;
  std::int64_t before = 0, stride = 1, dilation = 1;

  // Calls `number_at(byte, index)` for every number of the map. The index is one of the input or
  // output, whose shape this is; -1: what pads it.
  template <class NumberAt>
  void each(const graph::Shape& shape, NumberAt&& number_at) const {
    for (std::int64_t y = 0; y < lines; ++y)
      for (std::int64_t x = 0; x < map.width; ++x)
        for (std::int64_t c = 0; c < map.channels; ++c) {
          const std::int64_t column = x * stride + c / shape[0] * dilation - before,
                             channel = first_channel + c % shape[0];
          number_at(first_byte + map.place(c / map.rows, y, x) * map.rows + c % map.rows,
                    column < 0 || column >= shape[2]
                        ? -1
                        : (channel * shape[1] + first_line + y) * shape[2] + column);
        }
  }
};

struct MemoryImage {
  std::shared_ptr<const Program> of;
  std::vector<Move> moves;
  std::shared_ptr<std::vector<std::uint8_t>> program;  // the bytes of its range
  std::int64_t data_words = 0;
  std::int64_t least_words = 0;  // what is there at one time; no layout has fewer
  // The host writes the inputs, and reads the outputs. Of the inputs an area may have a part.
  std::vector<Area> inputs, outputs;
  std::int64_t input_bytes = 0;  // that the host writes, from the beginning of the data range on
};

// Maps leave and come back in whole words, as lower() has them.
MemoryImage memory_image(const PortsPlan& plan, std::shared_ptr<const Program> program);

// A number is a byte in memory: an unsigned one is stored less 128. One image is behind the other.
void put_inputs(const MemoryImage& image, std::span<const std::int32_t> numbers,
                std::span<std::uint8_t> data);
// The numbers of every output of every image, in order.
std::vector<graph::Numbers> outputs_of(const MemoryImage& image,
                                       std::span<const std::uint8_t> data);

}  // namespace kumiki::gen::engine
