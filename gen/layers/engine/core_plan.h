// SPDX-License-Identifier: Apache-2.0
// The plan of the core: widths of its registers, the chain of a column, and when what happens.
//
// All times are clocks after the clock in which the walk issues a word.
#pragma once
#include <cstdint>
#include <string>

#include "gen/blocks/packing/plan.h"
#include "gen/blocks/requant/float_lane.h"
#include "gen/layers/engine/shape.h"

namespace kumiki::gen::engine {

struct CorePlan {
  EngineShape shape;
  bool is_double = false;  // columns and weights run on clk2x
  // A column for two pixels: all rows of a word in a clock.
  packing::PackingPlan chain;

  // The most words of a tile.
  std::int64_t most_words() const { return shape.weight_words - 1; }
  static constexpr std::uint32_t coordinate_bits = 12;
  static constexpr std::uint32_t parameter_bits = 62;  // of a lane: bias, factor, its shift
  std::uint32_t place_bits() const;
  std::uint32_t bank_bits() const { return place_bits() - 2; }
  std::uint32_t word_bits() const;  // of a place in the ring of weights
  std::uint32_t count_bits() const { return word_bits() + 1; }
  std::uint32_t tap_bits() const;
  std::int64_t bank_rows() const { return shape.places / EngineShape::pixels; }
  std::int64_t padding_row() const { return bank_rows() - 1; }
  std::int64_t parts() const { return shape.rows / shape.columns; }  // tiles of a block
  std::int64_t halves() const { return is_double ? 2 : 1; }
  std::int64_t chain_rows() const { return shape.rows / halves(); }
  std::int64_t slices() const;

  // Least clocks from set to set: as many as its results take to leave.
  static constexpr int set_clocks = static_cast<int>(EngineShape::pixels);
  static constexpr int address_clocks = 4;                // to the addresses of the banks
  static constexpr int feed_clocks = address_clocks + 3;  // to the numbers of four pixels
  int weight_clocks() const {
    return feed_clocks - (is_double ? 1 : 2);
  }                            // to the weights' address
  int column_latency() const;  // clocks of the column, from a set's last operands to its results
  int held() const;            // from a set's last word to the register that holds its sums
  int lane_in() const { return held() + 1; }
  int written() const { return lane_in() + requant::FloatLanePlan::latency(); }
  int freed() const;  // from the last word of a tile until its weights may be overwritten
  static constexpr int read_clocks = 5;  // of the movers
  std::string module_name() const;
  friend bool operator==(const CorePlan&, const CorePlan&) = default;
};

// DesignError: no chain of so many rows gives plain sums.
CorePlan plan_core(const EngineShape& shape, bool is_double);

}  // namespace kumiki::gen::engine
