// SPDX-License-Identifier: Apache-2.0
// What onnxruntime makes of logits, bit for bit.
#include <vector>

#include <gtest/gtest.h>

#include "gen/graph/softmax.h"

namespace kumiki::gen::graph::softmax_test {
namespace {

std::vector<float> softmax_of(std::vector<float> numbers) {
  softmax(numbers);
  return numbers;
}

TEST(Softmax, IsThatOfOnnxruntime) {
  // Two vectors of eight and a rest, equal numbers, and one far below the others.
  EXPECT_EQ(softmax_of({13.25F, 3.75F, 5.5F, 11.75F, 2.25F, 8.25F, 10.0F, -8.25F, -13.5F, -6.0F,
                        -6.5F, 11.0F, 12.25F, -15.0F, -0.25F, 9.5F, -11.25F, -90.0F, 14.75F}),
            (std::vector<float>{0x1.47cdap-3F, 0x1.92024p-17F, 0x1.212cd4p-14F, 0x1.249236p-5F,
                                0x1.66cd18p-19F, 0x1.1ab75cp-10F, 0x1.96badcp-8F, 0x1.43c05ep-34F,
                                0x1.b2ea8ep-42F, 0x1.7ff562p-31F, 0x1.d1c3e6p-32F, 0x1.1466d2p-6F,
                                0x1.e25e46p-5F, 0x1.842bf6p-44F, 0x1.d73c2ep-23F, 0x1.ed636ap-9F,
                                0x1.01e5eep-38F, 0, 0x1.6f472cp-1F}));
  EXPECT_EQ(softmax_of({-3}), (std::vector<float>{1}));
  EXPECT_EQ(softmax_of({5, 5, 5, 5}), (std::vector<float>{0.25F, 0.25F, 0.25F, 0.25F}));
}

}  // namespace
}  // namespace kumiki::gen::graph::softmax_test
