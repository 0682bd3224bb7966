// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/convolution.h"
#include "gen/layers/matrix/counts.h"
#include "gen/layers/pipeline/counts/counts.h"

namespace kumiki::gen::pipeline {
namespace {

class ConvolutionCounts : public Counts {
 public:
  explicit ConvolutionCounts(const ConvolutionPlan& plan) : matrix_(plan.matrix) {}
  Shown shown() const override {
    return {.ready = matrix_.in_ready() ? 1u : 0u, .valid = matrix_.out_valid()};
  }
  void clock(const Given& given) override { matrix_.clock(given.valid != 0, given.ready); }
  std::int64_t alike(const Given& given) const override {
    return std::min(forever, matrix_.alike(given.valid != 0, given.ready));
  }
  void skip(std::int64_t clocks, const Given& given) override {
    matrix_.skip(clocks, given.valid != 0);
  }
  void state(std::vector<std::int64_t>& all) const override { matrix_.state(all); }

 private:
  matrix::MatrixCounts matrix_;
};

}  // namespace

std::unique_ptr<Counts> counts_of(const ConvolutionPlan& plan) {
  return std::make_unique<ConvolutionCounts>(plan);
}

}  // namespace kumiki::gen::pipeline
