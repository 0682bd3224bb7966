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
#include "tests/support/golden.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::onnx::import_test {
namespace {

namespace fs = std::filesystem;
const fs::path tests = KUMIKI_TEST_DIR;

// A .npy file as float32, which holds all that these files have.
struct Reals {
  std::vector<float> values;
  std::size_t images = 0;
};
Reals reals(const fs::path& file) {
  const std::string bytes = test::read_bytes(file);
  const auto array = config::parse_npy(bytes, file.string(), {.reals = true});
  Reals r{.images = array.shape.at(0)};
  for (std::size_t i = 0; i < config::count(array.shape); ++i)
    r.values.push_back(array.type.is_real() ? static_cast<float>(array.real(i))
                                            : static_cast<float>(array.integer(i)));
  return r;
}

std::vector<std::int32_t> quantised(const graph::Tensor& t, const std::vector<float>& values) {
  std::vector<std::int32_t> all;
  for (const float v : values) all.push_back(graph::quantised(t, v).number);
  return all;
}

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
  const Reals wanted = reals(tests / "gen/onnx/judged" / (name + ".npy"));
  const std::size_t of_image = graph::count(g.tensors[model.outputs[0].tensor].shape);
  ASSERT_EQ(of_image, 10U);
  std::size_t differ = 0;
  for (std::size_t n = 0; n < logits.size(); ++n)
    differ += static_cast<float>(logits[n]) != wanted.values.at(first * of_image + n);
  EXPECT_EQ(differ, 0U) << "of " << logits.size() << " logits of " << name;
}

TEST(Import, EveryDigitHasTheLogitsOfOnnxruntime) {
  const Imported model = import_model(tests / "../examples/models/digits_mlp.onnx");
  EXPECT_THAT(model.notes, testing::IsEmpty());
  Reals pixels = reals(tests / "../examples/models/digits_images.npy");
  EXPECT_EQ(pixels.images, 1797U);
  for (float& p : pixels.values) p /= 16;
  expect_judged("digits_mlp", model,
                quantised(model.graph.tensors[model.input.tensor], pixels.values), 0);
}

// So many of the 10,000 images, from another one on in each run; all of them in the long form.
void expect_fashion(const std::string& name, std::int32_t black) {
  const fs::path data = "/usr/share/datasets/fashion-mnist";
  if (!fs::exists(data))
    GTEST_SKIP() << "NOT TESTED: " << name
                 << ", since the package dataset-fashion-mnist is missing";
  const fs::path folder = fs::path(KUMIKI_TEST_TMP) / ("fashion-" + name);
  fs::create_directories(folder);
  const auto script = (tests / "../examples/models/fashion_mnist.py").string();
  ASSERT_EQ(
      std::system(fmt::format("python3 '{}' '{}' >/dev/null", script, folder.string()).c_str()), 0);
  const Reals all = reals(folder / "images.npy");
  fs::remove_all(folder);
  ASSERT_EQ(all.images, 10'000U);
  const Imported model = import_model(tests / "../examples/models" / (name + ".onnx"));
  const std::size_t count = test::long_form() ? 10'000 : 500;
  const std::size_t first = test::rotating_seed() % (10'000 / count) * count, pixels = 28 * 28;
  std::vector<std::int32_t> numbers;
  for (std::size_t i = first * pixels; i < (first + count) * pixels; ++i)
    numbers.push_back(static_cast<std::int32_t>(all.values[i]) + black);
  // What the host's quantiser makes of pixel / 255.
  const auto& input = model.graph.tensors[model.input.tensor];
  for (int p = 0; p < 256; ++p)
    ASSERT_EQ(graph::quantised(input, static_cast<float>(p) / 255).number, p + black);
  expect_judged(name, model, numbers, first);
}
TEST(Import, ClothesHaveTheLogitsOfOnnxruntimePerChannel) { expect_fashion("fashion_cnn", 0); }
TEST(Import, ClothesHaveTheLogitsOfOnnxruntimeInAResidualNetwork) {
  expect_fashion("fashion_residual", -128);
}

}  // namespace
}  // namespace kumiki::gen::onnx::import_test
