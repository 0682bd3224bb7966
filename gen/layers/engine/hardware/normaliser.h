// SPDX-License-Identifier: Apache-2.0
// The normaliser: softmax and layer normalisation of the channels of each pixel, in integers as
// pipelines have them (gen/operators/softmax, gen/operators/layer_norm). It reads pixels of a map
// from the banks and writes pixels of another one, a beat of `lanes` channels in a clock. Nothing
// in it waits: a pixel is taken if there is room for its results.
//
//   words -> beats --+--> largest                    of softmax; else 0
//                    |        v
//                    +-> numbers less it --> table --> sums of a pixel --> root, or division
//                             |                                                 v
//                             +------------------------> numbers, or entries -> lanes -> words
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/hdl/queue_model.h"
#include "gen/operators/layer_norm/integers.h"
#include "gen/operators/softmax/integers.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::engine {

struct NormaliserPlan {
  std::int64_t lanes = 16;  // channels of a part of a word
  std::int64_t parts = 2;   // of a word
  std::uint32_t place_bits = 16;

  static constexpr std::int64_t most_size = graph::NormIntegers::most_size;  // channels
  static constexpr std::int64_t most_lanes = 40;  // each adds its number a clock later
  static constexpr std::int64_t room = 512;       // beats on their way
  // Softmax has an entry for each number less the largest one, and one for what is past the last
  // channel; layer normalisation one for each channel.
  static constexpr std::int64_t softmax_entries = 257;
  static constexpr std::uint32_t factor_bits = graph::NormIntegers::factor_bits, bias_bits = 36,
                                 entry_bits = factor_bits + bias_bits;
  static constexpr std::uint32_t epsilon_bits = graph::NormIntegers::sum_bits;
  static constexpr int root_steps = 5;  // pairs of zeros: up to 31, of 23
  // Clocks from the end of a pixel to that of the next one, as divisions need them.
  static constexpr int units = 2, division_bits = graph::NormIntegers::factor_bits, pace = 14;
  static_assert(units * pace >= division_bits);

  std::int64_t most_beats() const { return ceil_div(most_size, lanes); }
  std::uint32_t beat_bits() const {
    return address_width(static_cast<std::uint64_t>(most_beats()));
  }
  std::uint32_t block_bits() const {
    return address_width(static_cast<std::uint64_t>(ceil_div(most_size, lanes * parts)));
  }
  std::uint32_t lane_bits() const { return address_width(static_cast<std::uint64_t>(lanes)); }
  std::uint32_t part_bits() const { return address_width(static_cast<std::uint64_t>(parts)); }
  std::uint32_t entry_address_bits() const { return std::max(9U, beat_bits()); }
  int tree_clocks() const { return static_cast<int>(lane_bits()); }
  // From the clock in which the last beat of a pixel is taken: to the first read of its numbers;
  // from the last one to the sums, in a register; from these to the results.
  int reads() const { return 2 + tree_clocks(); }
  int sums() const { return static_cast<int>(lanes) + 7; }
  static constexpr int root = 30, numbers = 28, factors = 35, results = 40;
  std::int64_t slices() const { return 6 * lanes + 10 + units; }
  std::string module_name() const;
  friend bool operator==(const NormaliserPlan&, const NormaliserPlan&) = default;
};

template <class R>
struct NormaliserIn {
  typename R::Bit rst, start;
  // Registers, which do not change from a clock before `start` until `busy` is 0 again, nor while
  // entries come. Counts are less 1.
  typename R::UInt from, from_step, to, to_step;  // places; of a pixel, from block to block
  typename R::UInt pixels, blocks, beats, entries;
  typename R::UInt last_part, last_lane;  // of a pixel: part of its last word, lane there
  typename R::UInt is_softmax;
  typename R::UInt factor;                      // of softmax
  typename R::UInt size, point, epsilon, more;  // n, f, E and x of layer normalisation
  // An entry: A of a lane, then B. The first one comes behind `e_restarts`.
  typename R::Bit e_restarts, e_write;
  typename R::UInt e_data;
  // Movers.
  typename R::Bit may_ask, word_valid, may_write;
  std::vector<typename R::UInt> word;
  static constexpr auto ports() {
    return std::tuple(
        port("rst", &NormaliserIn::rst), port("start", &NormaliserIn::start),
        port("from", &NormaliserIn::from), port("from_step", &NormaliserIn::from_step),
        port("to", &NormaliserIn::to), port("to_step", &NormaliserIn::to_step),
        port("pixels", &NormaliserIn::pixels), port("blocks", &NormaliserIn::blocks),
        port("beats", &NormaliserIn::beats), port("entries", &NormaliserIn::entries),
        port("last_part", &NormaliserIn::last_part), port("last_lane", &NormaliserIn::last_lane),
        port("is_softmax", &NormaliserIn::is_softmax), port("factor", &NormaliserIn::factor),
        port("size", &NormaliserIn::size), port("point", &NormaliserIn::point),
        port("epsilon", &NormaliserIn::epsilon), port("more", &NormaliserIn::more),
        port("e_restarts", &NormaliserIn::e_restarts), port("e_write", &NormaliserIn::e_write),
        port("e_data", &NormaliserIn::e_data), port("may_ask", &NormaliserIn::may_ask),
        port("word_valid", &NormaliserIn::word_valid), port("may_write", &NormaliserIn::may_write),
        port("word", &NormaliserIn::word));
  }
};

template <class R>
struct NormaliserOut {
  typename R::Bit busy;
  typename R::Bit e_ends;               // the last entry comes
  typename R::Bit asks, takes, writes;  // asks: if it may; takes: the word
  typename R::UInt ask_place, write_place, write_parts;
  std::vector<typename R::UInt> data;
  static constexpr auto ports() {
    return std::tuple(port("busy", &NormaliserOut::busy), port("e_ends", &NormaliserOut::e_ends),
                      port("asks", &NormaliserOut::asks), port("takes", &NormaliserOut::takes),
                      port("writes", &NormaliserOut::writes),
                      port("ask_place", &NormaliserOut::ask_place, &NormaliserOut::asks),
                      port("write_place", &NormaliserOut::write_place, &NormaliserOut::writes),
                      port("write_parts", &NormaliserOut::write_parts, &NormaliserOut::writes),
                      port("data", &NormaliserOut::data, &NormaliserOut::writes));
  }
};

// Calls f with each register of one struct of ports, and with those of another one beside it.
template <class A, class B, class F>
void for_each_normaliser_register(A& a, B& b, F&& f) {
  f(a.from, b.from);
  f(a.from_step, b.from_step);
  f(a.to, b.to);
  f(a.to_step, b.to_step);
  f(a.pixels, b.pixels);
  f(a.blocks, b.blocks);
  f(a.beats, b.beats);
  f(a.entries, b.entries);
  f(a.last_part, b.last_part);
  f(a.last_lane, b.last_lane);
  f(a.is_softmax, b.is_softmax);
  f(a.factor, b.factor);
  f(a.size, b.size);
  f(a.point, b.point);
  f(a.epsilon, b.epsilon);
  f(a.more, b.more);
}

NormaliserIn<Hardware> input_shape(const NormaliserPlan& plan);
NormaliserOut<Hardware> output_shape(const NormaliserPlan& plan);
NormaliserOut<Hardware> build_normaliser(Scope& s, const NormaliserPlan& plan,
                                         const NormaliserIn<Hardware>& in);

// The places of a map word by word: blocks of a pixel, then the next pixel.
class PlacesOfPixels {
 public:
  void start(std::uint64_t first, std::uint64_t step, std::uint64_t blocks, std::uint64_t pixels);
  std::uint64_t place() const { return place_; }
  bool ends_pixel() const { return block_ == blocks_; }
  bool is_last() const { return ends_pixel() && pixel_ == pixels_; }
  void move();

 private:
  std::uint64_t first_ = 0, step_ = 0, blocks_ = 0, pixels_ = 0, place_ = 0, block_ = 0, pixel_ = 0;
};

class NormaliserModel {
 public:
  explicit NormaliserModel(const NormaliserPlan& plan);
  void power_up();
  NormaliserOut<Values> step(const NormaliserIn<Values>& in);
  bool busy() const { return busy_; }

 private:
  void reset();
  std::vector<std::uint8_t> results(const NormaliserIn<Values>& in) const;
  NormaliserPlan plan_;
  std::vector<std::vector<std::uint64_t>> entries_;  // [lane][address]
  std::int64_t entry_ = 0, entry_lane_ = 0, entry_address_ = 0;
  std::int64_t clock_ = 0;
  bool busy_ = false, asking_ = false;
  PlacesOfPixels asks_, takes_, writes_;
  std::int64_t part_ = 0, write_part_ = 0, on_way_ = 0, ended_ = 0;
  std::vector<std::uint8_t> pixel_;  // that comes
  struct Result {
    std::int64_t clock = 0;
    std::vector<std::uint64_t> beat;
  };
  std::deque<Result> made_;
  QueueModel<std::vector<std::uint64_t>> queue_;
};

}  // namespace kumiki::gen::engine
