// SPDX-License-Identifier: Apache-2.0
// The model of a matrix of chains: the convolution by its definition, and its timing. Frames come
// in word by word and get their border. A set is computed as soon as the words of its group have
// arrived and the exit has room. Its results enter the exit `core_latency` clocks later and wait
// there until they are taken.
#pragma once
#include <deque>
#include <vector>

#include "gen/layers/matrix/plan.h"
#include "gen/layers/matrix/ports.h"

namespace kumiki::gen::matrix {

class MatrixModel {
 public:
  explicit MatrixModel(const MatrixPlan& plan);
  void power_up();
  MatrixOut<Values> shown() const;
  void clock(const MatrixIn<Values>& in);
  MatrixOut<Values> step(const MatrixIn<Values>& in) {
    MatrixOut<Values> out = shown();
    clock(in);
    return out;
  }

 private:
  // The padded activations of a frame so far: [line][word][row of the word]. Rows past the last
  // channel of a group hold whatever came in; their weights are 0.
  using Frame = std::vector<std::int64_t>;
  struct Result {
    bool valid = false, last = false;
    std::vector<std::uint64_t> sums;
  };

  void load(const MatrixIn<Values>& in);
  void load_weights(const MatrixIn<Values>& in);
  bool is_border(std::int64_t word) const;  // of the line being loaded
  bool is_full() const { return held_ + plan_.beat > std::int64_t{1} << plan_.ring_bits; }
  std::int64_t need() const;
  Result issue();  // takes a word of a set; returns the sums with the last word
  const Result& at_output() const { return exit_.back(); }
  void leave(Result arriving, bool ready);
  Result compute() const;
  std::int64_t sum(std::int64_t channel, std::int64_t x) const;
  void move_on();
  bool is_loaded() const;
  void reset();

  MatrixPlan plan_;
  std::vector<std::int64_t> weights_;  // [tile][word][row][channel of the tile]
  std::deque<Frame> frames_;           // from number `oldest_` on; the last one is being loaded
  std::int64_t oldest_ = 0, complete_ = 0, computed_ = 0;  // numbers of frames
  std::int64_t load_x_ = 0, load_y_ = 0;                   // word of a line, the first of a beat;
                                                           // line
  std::int64_t word_ = 0, tile_ = 0, group_ = 0, line_ = 0;
  std::int64_t level_ = 0, held_ = 0, room_ = 0;  // words, words, sets
  std::int64_t arriving_ = 0, taken_ = 0;         // in the previous clock: words, sets
  std::deque<std::int64_t> freed_;                // [age]: words released `age` clocks ago
  std::deque<Result> pipeline_;                   // the back enters the exit next
  std::deque<Result> queue_;                      // if the exit is a memory: the results in it
  std::vector<Result> exit_;                      // its registers; the back is at the output
};

}  // namespace kumiki::gen::matrix
