// SPDX-License-Identifier: Apache-2.0
// When coefficients that are loaded are used: a frame of one pixel at a time, whose value is that
// pixel times the sum of all nine of them.
#include <gtest/gtest.h>

#include "gen/layers/vision/model.h"
#include "gen/layers/vision/stages.h"

namespace kumiki::gen::vision {
namespace vision_loading_test {

class Filter {
 public:
  Filter() : pipeline_(make_pipeline(request(), {})), model_(pipeline_) {
    in_.m_tready = true;
    in_.coefficient_valid = {false};
    in_.coefficient_data = {0};
    in_.s_tdata = {0};
  }

  // As many as are given, a set has nine.
  void load(const std::vector<int>& coefficients) {
    for (int c : coefficients) {
      in_.coefficient_valid = {true};
      in_.coefficient_data = {static_cast<std::uint64_t>(c)};
      clock();
    }
    in_.coefficient_valid = {false};
  }
  void reset() {
    in_.rst = true;
    clock();
    in_.rst = false;
  }
  // What a frame of one pixel of 1 becomes: the sum of the coefficients that are in use.
  std::uint64_t sum() {
    in_.s_tvalid = in_.s_tuser = in_.s_tlast = true;
    in_.s_tdata = {1};
    in_.width = in_.height = 1;
    while (!clock().s_tready) {
    }
    in_.s_tvalid = false;
    for (int patience = 0; patience < 200; ++patience) {
      const auto out = clock();
      if (out.m_tvalid) return out.m_tdata[0];
    }
    ADD_FAILURE() << "no pixel came";
    return 0;
  }

 private:
  static Request request() {
    StageRequest s;
    s.kernel = StageKind::convolve;
    s.loadable = true;
    s.coefficients = {{1, 1, 1, 1, 1, 1, 1, 1, 1}};
    s.coefficient_bits = 5;
    Request r;
    r.width = r.height = 4;
    r.stages = {s};
    return r;
  }
  VideoOut<Values> clock() { return model_.step(in_); }

  Pipeline pipeline_;
  PipelineModel model_;
  VideoIn<Values> in_{};
};

const std::vector<int> twos(9, 2), threes(9, 3);

std::vector<int> part(const std::vector<int>& all, std::size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(Loading, TheNextFrameHasAWholeSet) {
  Filter f;
  EXPECT_EQ(f.sum(), 9u);
  f.load(twos);
  EXPECT_EQ(f.sum(), 18u);
  EXPECT_EQ(f.sum(), 18u);
}

TEST(Loading, HalfASetChangesNothing) {
  for (std::size_t count = 1; count < 9; ++count) {
    Filter f;
    f.load(twos);
    EXPECT_EQ(f.sum(), 18u);
    f.load(part(threes, count));
    EXPECT_EQ(f.sum(), 18u) << count;
    f.load(part(threes, 9 - count));
    EXPECT_EQ(f.sum(), 27u) << count;
  }
}

TEST(Loading, AResetInTheMiddleForgetsTheHalf) {
  for (std::size_t count = 1; count < 9; ++count) {
    Filter f;
    f.load(twos);
    EXPECT_EQ(f.sum(), 18u);
    f.load(part(threes, count));
    f.reset();
    EXPECT_EQ(f.sum(), 18u) << count;
    f.load(part(threes, 9 - count));
    EXPECT_EQ(f.sum(), 18u) << count;
    f.load(part(threes, count));
    EXPECT_EQ(f.sum(), 27u) << count;
  }
}

TEST(Loading, WhatIsWholeStaysWholeInAReset) {
  Filter f;
  f.load(twos);
  f.reset();
  EXPECT_EQ(f.sum(), 18u);
}

}  // namespace vision_loading_test
}  // namespace kumiki::gen::vision
