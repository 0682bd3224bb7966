// SPDX-License-Identifier: Apache-2.0
// Models from files as onnxruntime's quantiser writes them, run as integers: every number is that
// of onnxruntime.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/config/array_file.h"
#include "gen/graph/interpret.h"
#include "gen/graph/quantise.h"
#include "gen/onnx/import.h"
#include "tests/gen/onnx/judged.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::onnx::import_test {
namespace {

namespace fs = std::filesystem;
using test::quantised;
using test::Reals;
using test::reals;
const fs::path tests = KUMIKI_TEST_DIR;

// Small networks of random operators, in QDQ and in QLinear form (random_models.py).
TEST(Import, RandomModelsGiveTheNumbersOfOnnxruntime) {
  std::size_t compared = 0;
  for (int i = 0; i < 12; ++i) {
    SCOPED_TRACE(i);
    const fs::path stem = tests / "gen/onnx/random" / std::to_string(i);
    const Imported model = import_model(fs::path(stem.string() + ".onnx"));
    const auto& g = model.graph;
    ASSERT_TRUE(model.input.is_float);
    const Reals images = reals(stem.string() + ".in.npy"),
                wanted = reals(stem.string() + ".out.npy");
    const auto numbers = graph::Interpreter(g).run_all(
        quantised(g.tensors[model.input.tensor], images.values), model.outputs[0].tensor);
    ASSERT_EQ(numbers.size(), wanted.values.size());
    for (std::size_t n = 0; n < numbers.size(); ++n, ++compared)
      ASSERT_EQ(graph::real_value(g.tensors[model.outputs[0].tensor], numbers[n]), wanted.values[n])
          << "number " << n;
  }
  EXPECT_GT(compared, 100U);
}

// Logits of images as numbers of the input, against those of onnxruntime
// (examples/models/judge.py).
void expect_judged(const std::string& name, const Imported& model,
                   const std::vector<std::int32_t>& images, std::size_t first) {
  const auto& g = model.graph;
  const auto logits = graph::Interpreter(g).run_all(images, model.outputs[0].tensor);
  const Reals wanted = test::judged(name);
  const std::size_t of_image = graph::count(g.tensors[model.outputs[0].tensor].shape);
  ASSERT_EQ(of_image, 10U);
  std::size_t differ = 0;
  for (std::size_t n = 0; n < logits.size(); ++n)
    differ += static_cast<float>(logits[n]) != wanted.values.at(first * of_image + n);
  EXPECT_EQ(differ, 0U) << "of " << logits.size() << " logits of " << name;
}

TEST(Import, EveryDigitHasTheLogitsOfOnnxruntime) {
  const Imported model = import_model(test::model_file("digits_mlp"));
  EXPECT_THAT(model.notes, testing::IsEmpty());
  expect_judged("digits_mlp", model, test::digits(model.graph.tensors[model.input.tensor]), 0);
}

// So many of the 10,000 images, from another one on in each run; all of them in the long form.
void expect_fashion(const std::string& name, std::int32_t black) {
  const Reals all = test::fashion();
  if (all.images == 0)
    GTEST_SKIP() << "NOT TESTED: " << name
                 << ", since the package dataset-fashion-mnist is missing";
  const Imported model = import_model(test::model_file(name));
  const std::size_t count = test::long_form() ? 10'000 : 500;
  const std::size_t first = test::rotating_seed() % (10'000 / count) * count;
  const auto& input = model.graph.tensors[model.input.tensor];
  EXPECT_EQ(input.zero_point, black);
  expect_judged(name, model, test::clothes(all, input, first, count), first);
}
TEST(Import, ClothesHaveTheLogitsOfOnnxruntimePerChannel) { expect_fashion("fashion_cnn", 0); }
TEST(Import, ClothesHaveTheLogitsOfOnnxruntimeInAResidualNetwork) {
  expect_fashion("fashion_residual", -128);
}

}  // namespace
}  // namespace kumiki::gen::onnx::import_test
