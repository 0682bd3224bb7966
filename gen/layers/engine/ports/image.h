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

struct MemoryImage {
  std::shared_ptr<const Program> of;
  std::vector<Move> moves;
  std::shared_ptr<std::vector<std::uint8_t>> program;  // the bytes of its range
  std::int64_t data_words = 0;
  // What the host writes, by byte of the data range: the index of a number of the image, or -1 less
  // the byte. The inputs of the image are one behind the other.
  std::vector<std::int32_t> inputs;
  // By number of all outputs, one behind the other: its byte of the data range.
  std::vector<std::int32_t> outputs;
};

// Maps leave and come back in whole words, as lower() has them.
MemoryImage memory_image(const PortsPlan& plan, std::shared_ptr<const Program> program);

// A number is a byte in memory: an unsigned one is stored less 128.
void put_inputs(const MemoryImage& image, std::span<const std::int32_t> numbers,
                std::span<std::uint8_t> data);
// The numbers of every output, in order.
std::vector<graph::Numbers> outputs_of(const MemoryImage& image,
                                       std::span<const std::uint8_t> data);

}  // namespace kumiki::gen::engine
