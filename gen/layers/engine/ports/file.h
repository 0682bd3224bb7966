// SPDX-License-Identifier: Apache-2.0
// A program as a file for the driver of a host (templates/driver/kumiki_engine.h.in): the bytes of
// its range, where the numbers of inputs and outputs are in the data, and what they mean.
//
// Words of 32 bits, little endian: a header; a record for each input and output, for each area of
// them, and for each step of the preparation; then names, real numbers, and the program.
#pragma once
#include <cstdint>
#include <string>

#include "gen/layers/engine/ports/image.h"

namespace kumiki::gen::engine {

enum class Header : std::uint8_t {
  magic,
  version,
  bytes,  // of the file
  sum,    // FNV-1a of the bytes behind this word
  build,  // register `build` of the engine
  word_bytes,
  rows,
  moves,
  program_words,
  data_words,
  input_bytes,  // of the data, that the host writes
  program,      // where it begins in the file, in bytes
  name,         // the same, and its bytes
  name_bytes,
  inputs,  // counts of records
  outputs,
  input_areas,
  output_areas,
  steps,
  images,  // of a run
  count
};
inline constexpr std::uint32_t file_magic = 0x504b4d4b, file_version = 3;  // "KMKP"

// A tensor: name, its bytes, three axes of the host's array, bits, whether it is signed, zero
// point, the bits of its scale; which axes of the array are channels, lines and columns, a byte
// each.
inline constexpr std::size_t tensor_words = 10;
// An area: number of its tensor, first byte, channels, lines, columns, phases of lines and of
// columns; words from line to line, from phase to phase, from block to block; first channel, first
// line, before, stride, dilation, the byte that pads, which image.
inline constexpr std::size_t area_words = 17;
// A step: kind, input, count of its real numbers, where they are.
inline constexpr std::size_t step_words = 4;

std::string program_file(const PortsPlan& plan, const MemoryImage& image);

}  // namespace kumiki::gen::engine
