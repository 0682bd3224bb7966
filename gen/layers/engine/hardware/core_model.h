// SPDX-License-Identifier: Apache-2.0
// The core clock by clock: counts say when, the definition of an operation says what.
#pragma once
#include <array>
#include <deque>

#include "gen/layers/engine/hardware/core.h"

namespace kumiki::gen::engine {

class CoreModel {
 public:
  explicit CoreModel(const CorePlan& plan);
  void power_up();
  // What it shows before the edge; does not depend on the inputs.
  CoreOut<Values> shown() const;
  void clock(const CoreIn<Values>& in);
  CoreOut<Values> step(const CoreIn<Values>& in) {
    CoreOut<Values> out = shown();
    clock(in);
    return out;
  }

 private:
  using In = CoreIn<Values>;
  struct Walk {
    std::int64_t block = 0, tap = 0, repeat = 0, set = 0, tile = 0;
  };
  struct Tap {
    std::uint64_t offset = 0;
    std::vector<std::uint64_t> bounds{0, 0, 0, 0};
  };
  // Things that happen some clocks later, in the order in which they were planned.
  struct Fetch {
    std::int64_t fetch = 0, show = 0, place = 0;
    std::vector<std::uint8_t> bytes;
  };
  // Sums on their way to the lanes: the parameters are those of the clock in which they arrive.
  struct Sums {
    std::int64_t held = 0, clock = 0;  // in which it is held, and the first pixel is written
    bool ends_tile = false;
    std::vector<std::vector<std::int64_t>> of_pixel;
    std::vector<std::vector<std::uint8_t>> seconds;  // [pixel][lane]
    std::vector<std::uint64_t> parameters;
  };
  void reset();
  void walk(const In& in);
  void ends_set(const In& in);
  void ring(const In& in, bool claims);
  void move(const In& in);
  static Unit unit_of(const In& in);
  std::vector<std::int64_t> results_of(const In& in, std::int64_t pixel) const;
  std::vector<std::uint8_t> seconds_of(const In& in, std::int64_t pixel) const;
  std::uint8_t written(const In& in, const Sums& sums, std::size_t pixel, std::size_t lane) const;
  std::uint8_t* word(std::int64_t place);
  std::int64_t wrapped(std::int64_t place) const;

  CorePlan plan_;
  std::vector<std::uint8_t> maps_;
  std::vector<std::int8_t> weights_;  // [word][row][column]
  // Of each row the newest weights, the last one first.
  std::vector<std::array<std::int8_t, CorePlan::most_columns_of_a_memory>> collected_;
  std::vector<Tap> taps_;
  std::vector<std::uint64_t> table_;
  std::int64_t clock_ = 0;

  bool running_ = false, in_set_ = false, in_second_ = false, first_set_ = true, ready_ = false,
       busy_ = false;
  std::int64_t last_begin_ = 0;
  bool set_is_first_ = false, pads_ = false;
  Walk at_;
  std::int64_t tile_word_ = 0;  // of the ring: the first one of the tile

  std::int64_t row_ = 0, column_ = 0, word_ = 0, there_ = 0, taken_ = 0;
  bool has_room_ = false, claims_ = false;
  bool has_room_for_tile_ = false;
  std::int64_t unclaimed_ = 0;                        // tiles whose parameters are there
  std::vector<std::uint64_t> next_, lanes_;           // parameters
  std::deque<std::vector<std::uint64_t>> waiting_;    // those of tiles before they are in the lanes
  std::array<bool, CorePlan::read_waits> reads_{};    // words of the last clocks
  std::deque<std::int64_t> frees_, switches_, ends_;  // clocks
  std::deque<Fetch> fetches_;
  std::deque<Sums> sums_;
  // The target, as the writer walks over it.
  struct Target {
    std::int64_t x = 0, y = 0, tile = 0, line = 0, place = 0, part = 0;
  } to_;
};

}  // namespace kumiki::gen::engine
