// SPDX-License-Identifier: Apache-2.0
// The model of a matrix of chains: the convolution by its definition. MatrixCounts says in which
// clocks words come in, sets are computed and results leave.
#pragma once
#include <deque>
#include <vector>

#include "gen/layers/matrix/counts.h"
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
    bool last = false;
    std::vector<std::uint64_t> sums;
  };

  void load(const std::vector<std::uint64_t>& beat);
  bool is_border(std::int64_t word) const;  // of the line being loaded
  Result compute() const;
  std::int64_t sum(std::int64_t channel, std::int64_t x) const;
  bool is_loaded() const;

  MatrixPlan plan_;
  MatrixCounts counts_;
  std::vector<std::int64_t> weights_;  // [tile][word][row][channel of the tile]
  std::deque<Frame> frames_;           // from number `oldest_` on; the last one is being loaded
  std::int64_t oldest_ = 0, complete_ = 0, computed_ = 0;  // numbers of frames
  std::deque<Result> results_;  // computed and not taken; the front leaves first
};

}  // namespace kumiki::gen::matrix
