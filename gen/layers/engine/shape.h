// SPDX-License-Identifier: Apache-2.0
// What a build of the engine has. README.md describes the machine.
#pragma once
#include <cstdint>

namespace kumiki::gen::engine {

struct EngineShape {
  // Channels of a word: a pixel of a map has a word for every block of so many channels. The
  // columns add as many products of a pixel in a clock.
  std::int64_t rows = 32;
  // Output channels that are computed at once, a lane behind each; divides `rows`.
  std::int64_t columns = 16;
  // Words of the memory of maps, over all its banks.
  std::int64_t places = 49152;
  // Words of the ring of weights: rows x columns weights each.
  std::int64_t weight_words = 512;
  // Bytes of weights that come in a clock, of maps likewise.
  double weight_bytes = 32, map_bytes = 12.8;

  // Pixels at once; the memory of maps has a bank for each.
  static constexpr std::int64_t pixels = 4;
  // The most taps of a walk.
  static constexpr std::int64_t most_taps = 256;
  // Clocks from the last word of an operation to its last result.
  static constexpr std::int64_t latency = 64;

  std::int64_t macs() const { return rows * columns * pixels; }
  friend bool operator==(const EngineShape&, const EngineShape&) = default;
};

}  // namespace kumiki::gen::engine
