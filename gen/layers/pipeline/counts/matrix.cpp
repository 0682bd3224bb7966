// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/counts.h"

#include <algorithm>

#include "gen/layers/pipeline/schedule.h"

namespace kumiki::gen::pipeline {
namespace {

class OfMatrixCounts : public Counts {
 public:
  explicit OfMatrixCounts(const matrix::MatrixPlan& plan) : matrix_(plan) {}
  Shown shown() const override {
    return {.ready = (matrix_.in_ready() ? 1u : 0u) | (matrix_.w_ready() ? 2u : 0u),
            .valid = matrix_.out_valid()};
  }
  std::int64_t alike(const Given& given) const override {
    return std::min(forever, matrix_.alike(in(given)));
  }
  void clock(const Given& given, std::int64_t clocks) override { matrix_.clock(in(given), clocks); }
  void state(std::vector<std::int64_t>& all) const override { matrix_.state(all); }

 private:
  static matrix::MatrixCounts::In in(const Given& given) {
    return {.in_valid = (given.valid & 1) != 0,
            .out_ready = given.ready,
            .w_valid = (given.valid & 2) != 0};
  }
  matrix::MatrixCounts matrix_;
};

}  // namespace

std::int64_t OfMatrix::interval() const { return clocks > 0 ? clocks : plan.cycles_a_frame(); }

std::unique_ptr<Counts> OfMatrix::counts() const { return std::make_unique<OfMatrixCounts>(plan); }

}  // namespace kumiki::gen::pipeline
