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
    return {.ready = matrix_.in_ready() ? 1u : 0u, .valid = matrix_.out_valid()};
  }
  std::int64_t alike(const Given& given) const override {
    return std::min(forever, matrix_.alike(given.valid != 0, given.ready));
  }
  void clock(const Given& given, std::int64_t clocks) override {
    matrix_.clock(given.valid != 0, given.ready, clocks);
  }
  void state(std::vector<std::int64_t>& all) const override { matrix_.state(all); }

 private:
  matrix::MatrixCounts matrix_;
};

}  // namespace

std::int64_t OfMatrix::interval() const { return plan.cycles_a_frame(); }

std::unique_ptr<Counts> OfMatrix::counts() const { return std::make_unique<OfMatrixCounts>(plan); }

}  // namespace kumiki::gen::pipeline
