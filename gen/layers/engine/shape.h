// SPDX-License-Identifier: Apache-2.0
// What a build of the engine has. README.md describes the machine.
#pragma once
#include <cstdint>

namespace kumiki::gen::engine {

struct EngineShape {
  // Channels of a word: a pixel of a map has a word for every block of so many channels. The
  // columns add as many products of a pixel in a clock.
  std::int64_t rows = 32;
  // Output channels that are computed at once; divides `rows`.
  std::int64_t columns = 16;
  // A part of a word has a byte for every column. So many parts come in a beat of the streams.
  std::int64_t beat_parts = 1;
  // Words of the memory of maps, over all its banks.
  std::int64_t places = 49152;
  // Words of the ring of weights: rows x columns weights each.
  std::int64_t weight_words = 512;
  // There is a normaliser, for softmax and layer normalisation.
  bool normalises = false;

  // Pixels at once; the memory of maps has a bank for each.
  static constexpr std::int64_t pixels = 4;
  // The most taps of a walk.
  static constexpr std::int64_t most_taps = 256;

  std::int64_t beat_bytes() const { return columns * beat_parts; }
  std::int64_t macs() const { return rows * columns * pixels; }
  friend bool operator==(const EngineShape&, const EngineShape&) = default;
};

}  // namespace kumiki::gen::engine
