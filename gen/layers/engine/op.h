// SPDX-License-Identifier: Apache-2.0
// One operation of the engine, as a descriptor says it. Numbers are bytes with a sign: a tensor of
// unsigned numbers is stored less 128.
//
// An operation walks over pixels, four at a time. For each of them it reads a word for every tap
// and every block of input channels. It adds products or takes the maximum, and writes the results
// of one tile of output channels. Then it walks again for the next tile.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "gen/arith/float_factor.h"
#include "gen/layers/engine/map.h"
#include "gen/operators/layer_norm/integers.h"
#include "gen/operators/softmax/integers.h"
#include "gen/operators/tensor.h"

namespace kumiki::gen::engine {

// What is subtracted from the numbers of a tensor to store them.
inline int stored_less(const graph::Tensor& t) { return t.format.is_signed ? 0 : 128; }
// What pads a tensor: its zero point as it is stored.
inline std::int8_t stored_zero(const graph::Tensor& t) {
  return static_cast<std::int8_t>(t.zero_point - stored_less(t));
}

enum class Unit : std::uint8_t {
  products,   // sums over the channels of all blocks; a tile is `columns` channels
  depthwise,  // sums of each channel by itself; a tile is a block
  maximum     // of each channel by itself, no lanes; a tile is a block
};

// From a pixel of the walk to the place that is read. A pixel whose line or column is outside the
// bounds reads padding.
struct Tap {
  std::int64_t offset = 0;
  std::array<std::int64_t, 2> from{0, 0},
      to{0, 0};  // lines and columns of the walk: from <= y < to
  friend bool operator==(const Tap&, const Tap&) = default;
};

struct Walk {
  std::int64_t from = 0;        // place of pixel (0, 0) of the first block
  std::int64_t block_step = 0;  // places from a block to the next
  std::int64_t blocks = 1;      // of a sum
  std::int64_t tile_step = 0;   // places from the blocks of a tile to those of the next one
  std::int64_t height = 1, width = 1, pitch = 1;  // pixels; columns from `width` on are not written
  std::vector<Tap> taps;
  // The taps again for the next line, so many times; with the same weights, or others.
  std::int64_t repeats = 1, repeat_step = 0;
  bool repeats_weights = false;
  std::int8_t pad = 0;

  std::int64_t words() const { return words_of_repeat() * repeats; }
  std::int64_t weight_words() const { return words_of_repeat() * (repeats_weights ? 1 : repeats); }
  std::int64_t words_of_repeat() const { return std::ssize(taps) * blocks; }
  std::int64_t pixels() const { return (height - 1) * pitch + width; }
  friend bool operator==(const Walk&, const Walk&) = default;
};

// The places of pixel (y, x) of a walk: those of its line and of its column.
struct Target {
  std::int64_t first = 0;       // of the first tile
  std::int64_t block_step = 0;  // places from a block to the next
  Steps lines, columns;
  std::int64_t at(std::int64_t block, std::int64_t y, std::int64_t x) const {
    return first + block * block_step + lines.at(y) + columns.at(x);
  }
  std::int64_t of_block(std::int64_t block) const { return at(block, 0, 0); }
  friend bool operator==(const Target&, const Target&) = default;
};

// Whether the places of a walk's neighbours are neighbours here as well.
inline bool follows(const Target& t, const Walk& w) {
  const auto all_are = [](const Steps& steps, std::int64_t step) {
    return std::ranges::all_of(steps.steps, [&](std::int64_t s) { return s == step; });
  };
  return all_are(t.columns, 1) && (w.height == 1 || all_are(t.lines, w.pitch));
}

// What a lane does with a sum, by channel.
struct Parameter {
  std::int32_t bias = 0;
  arith::FloatFactor factor;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// A second number for each result: onnxruntime's sum of both.
struct Second {
  bool is_first = false;               // the order of the operands
  graph::Tensor fresh, other, result;  // without names and shapes
  Target from;
  friend bool operator==(const Second&, const Second&) = default;
};

// Weights that are numbers of a map: so many places, one behind the other. A place is the weights
// of a column, or a word of a tap.
struct Fill {
  std::int64_t place = 0, places = 0;
  friend bool operator==(const Fill&, const Fill&) = default;
};

struct Op {
  std::vector<std::size_t> nodes;  // of the graph
  std::size_t result = 0;          // the tensor that it makes, or a part of it
  Unit unit = Unit::products;
  Walk walk;
  std::int64_t first_tile = 0, tiles = 1;
  std::int64_t first_channel = 0, channels = 1;  // of the target that are written
  Target target;
  bool reads_target = false;  // by the last tap, which `follows` it
  // Of lanes: one for each channel, from that of the first tile on.
  std::vector<Parameter> parameters;
  std::int64_t zero_point = 0, lowest = -128, highest = 127;  // as stored
  std::optional<std::array<std::int8_t, 256>> table;          // by stored number + 128
  std::optional<Second> second;
  // Tile by tile, tap by tap, block by block, row by row: `columns` weights; or a word of a tap.
  std::vector<std::int8_t> weights;
  // By tile: the words behind those of `weights`. Empty: none.
  std::vector<std::vector<Fill>> fills;
  friend bool operator==(const Op&, const Op&) = default;
};

// Softmax or layer normalisation of the channels of each pixel; its pixels are
// one behind the other, `from_step` and `to_step` places from block to block.
struct Normalise {
  std::size_t node = 0, result = 0;
  std::int64_t from = 0, from_step = 0, to = 0, to_step = 0;
  std::int64_t pixels = 1, channels = 1;
  // Of results as they are stored.
  std::variant<graph::SoftmaxIntegers, graph::NormIntegers> integers;
  friend bool operator==(const Normalise&, const Normalise&) = default;
};

}  // namespace kumiki::gen::engine
