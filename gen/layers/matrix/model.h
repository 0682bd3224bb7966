// SPDX-License-Identifier: Apache-2.0
// The model of a matrix of chains: the convolution by its definition. Its counts (counts.h) say in
// which clocks beats come and results leave.
#pragma once
#include <map>
#include <vector>

#include "gen/layers/matrix/counts.h"
#include "gen/layers/matrix/plan.h"
#include "gen/layers/matrix/ports.h"

namespace kumiki::gen::matrix {

class MatrixModel {
 public:
  explicit MatrixModel(const MatrixPlan& plan);
  void power_up();
  MatrixOut<Values> step(const MatrixIn<Values>& in);

 private:
  bool is_loaded() const;
  // The beat of results that leaves next.
  std::vector<std::uint64_t> result() const;
  std::int64_t sum(std::int64_t tile, std::int64_t channel, std::int64_t line,
                   std::int64_t column) const;

  MatrixPlan plan_;
  MatrixCounts counts_;
  std::vector<std::int64_t> weights_;  // [tile][word][row][channel of the tile]
  // The activations of the frames that have not left, by number: [beat][word of the beat][row].
  // Rows past the last channel of a group hold whatever came in; their weights are 0.
  std::map<std::int64_t, std::vector<std::int64_t>> frames_;
  std::int64_t frame_in_ = 0, beat_in_ = 0, frame_ = 0, beat_ = 0;
  std::vector<std::uint64_t> result_;  // that is shown, once it is computed
  bool is_computed_ = false;
};

}  // namespace kumiki::gen::matrix
