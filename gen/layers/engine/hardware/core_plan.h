// SPDX-License-Identifier: Apache-2.0
// The plan of the core: widths of its registers, the chain of a column, and when what happens.
//
// All times are clocks after the clock in which the walk issues a word.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "gen/blocks/packing/plan.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/layers/engine/hardware/normaliser.h"
#include "gen/layers/engine/hardware/sum_tables.h"
#include "gen/layers/engine/op.h"
#include "gen/layers/engine/shape.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::engine {

struct CorePlan {
  EngineShape shape;
  bool is_double = false;      // columns and weights run on clk2x
  bool has_ultra_ram = false;  // for the maps
  // A column for two pixels: all rows of a word in a clock.
  packing::PackingPlan chain;
  requant::FloatLanePlan lane = {};

  // The most words of a tile.
  std::int64_t most_words() const { return shape.weight_words - 1; }
  static constexpr std::uint32_t coordinate_bits = 12;
  static constexpr std::uint32_t tile_bits = 12, part_bits = 4, lane_bits = 8, phase_bits = 4;
  static constexpr std::int64_t most_parts = 1 << part_bits, most_rows = 1 << lane_bits;
  static constexpr std::uint32_t parameter_bits = 62;  // of a lane: bias, factor, its shift
  std::uint32_t place_bits() const;
  std::uint32_t bank_bits() const { return place_bits() - 2; }
  std::uint32_t word_bits() const;  // of a place in the ring of weights
  std::uint32_t count_bits() const { return word_bits() + 1; }
  std::uint32_t tap_bits() const;
  std::int64_t bank_rows() const { return shape.places / EngineShape::pixels; }
  std::int64_t padding_row() const { return bank_rows() - 1; }
  std::int64_t parts() const { return shape.rows / shape.columns; }  // tiles of a block
  // Parameters of so many tiles come before the lanes take those of the first of them.
  static constexpr std::int64_t parameter_words = 32;  // of a lane
  std::int64_t tiles_ahead() const { return parameter_words / parts() - 1; }
  std::uint32_t ahead_bits() const;
  std::uint32_t turn_bits() const;  // of a part; at least 1
  std::int64_t halves() const { return is_double ? 2 : 1; }
  // The weights of a column come as a place does; so does a word of a tap of the depthwise unit.
  std::int64_t beats_of_place() const { return parts() / shape.beat_parts; }
  std::int64_t places_of_word(Unit unit) const {
    return unit == Unit::depthwise ? 1 : shape.columns;
  }
  std::int64_t beats_of_word(Unit unit) const { return places_of_word(unit) * beats_of_place(); }
  // That the stream brings; those that are numbers of maps are not among them.
  std::int64_t words_of(const Op& op) const {
    return std::ssize(op.weights) / (shape.rows * places_of_word(op.unit));
  }
  // A memory of the ring has the weights of a row for so many columns, or fewer. The depthwise unit
  // reads those of the last column of the first one.
  static constexpr std::int64_t most_columns_of_a_memory = 8;  // 64 bits
  std::int64_t column_groups() const { return ceil_div(shape.columns, most_columns_of_a_memory); }
  std::int64_t last_column(std::int64_t group) const {
    return std::min((group + 1) * most_columns_of_a_memory, shape.columns) - 1;
  }
  // Parameters of a tile.
  std::int64_t lanes_of_tile(Unit unit) const {
    return unit == Unit::depthwise ? shape.rows : shape.columns;
  }
  // Of an engine that has one.
  NormaliserPlan normaliser() const {
    return {.lanes = shape.columns, .parts = parts(), .place_bits = place_bits()};
  }
  std::int64_t chain_rows() const { return shape.rows / halves(); }
  std::int64_t slices() const;

  // A set of products gives four pixels of a tile, one of the depthwise unit all parts of a block;
  // the maximum has no lanes and writes whole words.
  std::int64_t slots(Unit unit) const {
    return EngineShape::pixels * (unit == Unit::depthwise ? parts() : 1);
  }
  static constexpr int address_clocks = 4;                // to the addresses of the banks
  static constexpr int feed_clocks = address_clocks + 3;  // to the numbers of four pixels
  // To the address of the weights.
  int weight_clocks() const { return feed_clocks - (is_double ? 1 : 2); }
  // Of a column, from a set's last operands to its results.
  int column_latency() const;
  int late(std::int64_t row) const;  // of a row of the chain
  static constexpr int multiply_clocks = 3;
  static constexpr int memory_clocks = 2;  // of the tables
  static constexpr int table_clocks = memory_clocks + 2;
  // A second number is in a word behind those of a set. From its register on it waits so long for
  // the result of the lanes.
  int second_waits(Unit unit) const;
  // From a set's last word to the register that holds its results.
  int held(Unit unit) const;
  // From there to the result of a lane, and to the memory.
  int lane_clocks() const { return 2 + lane.latency(); }
  int through_lanes(Unit unit) const {
    return unit == Unit::maximum ? 1 : lane_clocks() + table_clocks;
  }
  int written(Unit unit) const { return held(unit) + through_lanes(unit); }
  int last_written(Unit unit) const { return written(unit) + static_cast<int>(slots(unit)) - 1; }
  // From the last word of a tile until its weights may be overwritten.
  int freed() const;
  // From the last word of an operation to its end.
  int ends(Unit unit) const {
    return unit == Unit::maximum ? last_written(unit) : std::max(last_written(unit), freed() + 1);
  }
  int read_clocks() const { return is_double ? 6 : 5; }  // of the movers
  static constexpr int read_waits = 2;  // from a word until movers would take the banks from it
  std::string module_name() const;
  friend bool operator==(const CorePlan&, const CorePlan&) = default;
};

// Rows of weights in a beat of so many bytes. config::Refusal: a beat cannot have them.
std::int64_t beat_parts_of(std::int64_t bytes, std::int64_t rows, std::int64_t columns);

// config::Refusal: what the shape lacks.
CorePlan plan_core(const EngineShape& shape, bool is_double, bool has_ultra_ram = false,
                   const packing::Limits& limits = {});

}  // namespace kumiki::gen::engine
