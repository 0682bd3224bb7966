// SPDX-License-Identifier: Apache-2.0
// The clocks of a program on the engine as it is built, if its streams never pause: without
// numbers, tile by tile.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

// The parts of an engine that are busy at different times. The unit of an operation is the columns,
// the depthwise unit or the maximum.
enum class Busy : std::uint8_t { unit, normaliser, loads, stores, operations, weights };
// What an image waits for while a part is busy. The normaliser computes as products do.
enum class Cause : std::uint8_t { products, results, weights, loads, stores, beginnings };

// Clocks of an image in which a part is busy with a step, or in which its unit waits.
struct Span {
  std::size_t step = 0;
  Busy part = Busy::unit;
  Cause cause = Cause::products;
  std::int64_t begin = 0, end = 0;  // the clock behind the last one
  std::int64_t results = 0;         // clocks of products in which only results leave
};

// `spans`: gets those of every step. A part has one span at a time, and the last one ends with the
// image.
std::int64_t forecast(const EnginePlan& plan, const Program& program,
                      std::vector<Span>* spans = nullptr);

}  // namespace kumiki::gen::engine
