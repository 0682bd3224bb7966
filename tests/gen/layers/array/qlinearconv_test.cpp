// SPDX-License-Identifier: Apache-2.0
// Convolutions with zero points, padding and a scale a channel, as onnxruntime has computed them
// (qlinearconv.py): by definition, and on the model of an array.
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <sstream>

#include "tests/gen/layers/array/jobs.h"

namespace kumiki::gen::array {
namespace qlinearconv_test {

struct Case {
  LayerJob job;
  Tensor input, output;
};

std::vector<std::int64_t> line(std::ifstream& in) {
  std::string text;
  std::getline(in, text);
  std::istringstream words(text);
  std::vector<std::int64_t> all;
  for (std::int64_t v = 0; words >> v;) all.push_back(v);
  return all;
}

// Unsigned numbers are less 128 on the array: their top bit is turned.
Tensor map(const MapShape& shape, const std::vector<std::int64_t>& values, std::int64_t less) {
  Tensor t(shape);
  EXPECT_EQ(t.values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    t.values[i] = static_cast<std::int32_t>(values[i] - less);
  return t;
}

std::vector<Case> cases() {
  std::ifstream in(std::string(KUMIKI_TEST_DIR) + "/gen/layers/array/qlinearconv.txt");
  std::vector<Case> all;
  for (auto n = line(in); n.size() == 13; n = line(in)) {
    const std::int64_t less = n[12] == 1 ? 0 : 128;
    const auto scales = line(in);
    Case c;
    c.job.shape = test::conv({.in_channels = n[0],
                              .height = n[1],
                              .width = n[2],
                              .out_channels = n[3],
                              .kernel = n[4],
                              .stride = n[5],
                              .dilation = n[6],
                              .groups = n[7],
                              .padding_before = n[8],
                              .padding_after = n[9]});
    c.job.input_zero_point = n[10] - less;
    c.job.zero_point = n[11] - less;
    for (const std::int64_t bits : scales)
      c.job.scales.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    c.job.bias = line(in);
    const auto weights = line(in);
    c.job.weights = Weights(std::vector<std::int32_t>(weights.begin(), weights.end()));
    c.input = map(c.job.in_shape(), line(in), less);
    c.output = map(c.job.out_shape(), line(in), less);
    all.push_back(std::move(c));
  }
  return all;
}

TEST(QLinearConv, IsThatOfOnnxruntime) {
  ArrayRequest r{.rows = 4,
                 .columns = 5,
                 .accumulators = 2,
                 .reach = 5,
                 .window_words = 128,
                 .average_pool = false,
                 .float32 = true};
  const ArrayPlan p = plan(r);
  ArrayModel model(p);
  const auto all = cases();
  ASSERT_EQ(all.size(), 48u);
  for (const Case& c : all) {
    const auto wrong =
        first_difference(c.job, c.output, reference(c.job, c.input, arithmetic_of(p)));
    ASSERT_FALSE(wrong) << *wrong;
    // Compares what the array gives with the definition.
    test::run(model, compile(p, {c.job}), {c.input});
    ASSERT_FALSE(HasFailure()) << c.job.shape.name;
  }
}

}  // namespace qlinearconv_test
}  // namespace kumiki::gen::array
