// SPDX-License-Identifier: Apache-2.0
// Models from files as onnxruntime's quantiser writes them, run as integers: every number is that
// of onnxruntime.
#include <algorithm>
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/config/array_file.h"
#include "gen/graph/interpret.h"
#include "gen/graph/quantise.h"
#include "gen/onnx/import.h"
#include "tests/gen/onnx/judged.h"
#include "tests/gen/onnx/small_models.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::onnx::import_test {
namespace {

namespace fs = std::filesystem;
using test::quantised;
using test::Reals;
using test::reals;
const fs::path tests = KUMIKI_TEST_DIR;

// A model's numbers for the images beside it are those of the judge; returns how many.
std::size_t expect_equal(const fs::path& file) {
  const Imported model = import_model(file);
  const auto& g = model.graph;
  const std::string stem = (file.parent_path() / file.stem()).string();
  const Reals images = reals(stem + ".in.npy"), wanted = reals(stem + ".out.npy");
  const auto& input = g.tensors[model.input.tensor];
  const std::size_t size = graph::count(input.shape);
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < images.values.size(); ++i)
    numbers.push_back(
        model.input.is_float
            ? graph::quantised(input, graph::prepared(g, i % size, images.values[i])).number
            : static_cast<std::int32_t>(images.values[i]));
  const auto results = graph::Interpreter(g).run_all(numbers, model.outputs[0].tensor);
  EXPECT_EQ(results.size(), wanted.values.size());
  if (results.size() != wanted.values.size()) return 0;
  for (std::size_t n = 0; n < results.size(); ++n) {
    const float made = graph::real_value(g.tensors[model.outputs[0].tensor], results[n]);
    EXPECT_EQ(made, wanted.values[n]) << "number " << n;
    if (made != wanted.values[n]) break;
  }
  return results.size();
}

void expect_equal(const std::string& folder, int cases) {
  std::size_t compared = 0;
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE(i);
    compared += expect_equal(tests / "gen/onnx" / folder / (std::to_string(i) + ".onnx"));
  }
  EXPECT_GT(compared, 100U);
}

// Small networks of random operators, in QDQ and in QLinear form (random_models.py).
// Each channel of the weights has a zero point, whatever dimensions are behind it.
TEST(Import, ZeroPointsByChannel) {
  const Model model = small::model(
      {-1, 2, 2, 2}, {small::node("QLinearConv", {"q", "s", "z", "w", "ws", "wz", "s", "z"}, "y")},
      {{"w", small::s8({2, 2, 1, 1}, {10, 20, 30, 40})},
       {"ws", small::list({1, 1})},
       {"wz", small::s8({2}, {1, 5})}});
  const graph::Graph g = import_model(model, "m.onnx").graph;
  ASSERT_FALSE(g.nodes.empty());
  const auto* conv = std::get_if<graph::Conv>(&g.nodes[0].op);
  ASSERT_TRUE(conv);
  EXPECT_EQ(std::vector<std::int32_t>(conv->weights.begin(), conv->weights.end()),
            (std::vector<std::int32_t>{9, 19, 25, 35}));
}

TEST(Import, RandomModelsGiveTheNumbersOfOnnxruntime) { expect_equal("random", 12); }

// Means of windows, factors for each channel, batch normalisations between quantisers.
TEST(Import, RandomModelsOfMoreOperatorsGiveTheNumbersOfOnnxruntime) { expect_equal("wide", 6); }

// The same with QONNX' quantisers of 1 to 8 bits, batch normalisations and factors for each channel
// (random_qonnx.py).
TEST(Import, RandomModelsOfFewBitsGiveTheNumbersOfOnnxruntime) { expect_equal("qonnx", 10); }

// An operator each, in QDQ, QLinear or QONNX form (operators.py).
TEST(Import, OperatorsGiveTheNumbersOfOnnxruntime) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(tests / "gen/onnx/operators"))
    if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  EXPECT_GT(files.size(), 50U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.stem().string());
    expect_equal(file);
  }
}

// Two inputs, each quantised by itself.
TEST(Import, TwoInputsGiveTheNumbersOfOnnxruntime) {
  const fs::path folder = tests / "gen/onnx/operators/inputs";
  const Imported model = import_model(folder / "pair.onnx");
  const auto& g = model.graph;
  EXPECT_EQ(model.input.name, "left");
  ASSERT_EQ(model.more_inputs.size(), 1U);
  EXPECT_EQ(model.more_inputs[0].name, "right");
  EXPECT_EQ(g.tensors[g.more_inputs[0]].name, "right");
  const Reals left = reals((folder / "left.npy").string()),
              right = reals((folder / "right.npy").string()),
              wanted = reals((folder / "pair.out.npy").string());
  const auto first = quantised(g.tensors[g.input], left.values),
             second = quantised(g.tensors[g.more_inputs[0]], right.values);
  const auto size = static_cast<std::ptrdiff_t>(first.size() / left.images);
  std::vector<std::int32_t> numbers;
  for (auto a = first.begin(), b = second.begin(); a != first.end(); a += size, b += size) {
    numbers.insert(numbers.end(), a, a + size);
    numbers.insert(numbers.end(), b, b + size);
  }
  const auto results = graph::Interpreter(g).run_all(numbers, model.outputs[0].tensor);
  ASSERT_EQ(results.size(), wanted.values.size());
  for (std::size_t n = 0; n < results.size(); ++n)
    ASSERT_EQ(graph::real_value(g.tensors[model.outputs[0].tensor], results[n]), wanted.values[n]);
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
void expect_fashion(const std::string& name, const std::function<int(int)>& number) {
  const Reals all = test::fashion();
  if (all.images == 0)
    GTEST_SKIP() << "NOT TESTED: " << name
                 << ", since the package dataset-fashion-mnist is missing";
  const Imported model = import_model(test::model_file(name));
  const std::size_t count = test::long_form() ? 10'000 : 500;
  const std::size_t first = test::rotating_seed() % (10'000 / count) * count;
  // What the host's quantiser makes of pixel / 255.
  const auto& input = model.graph.tensors[model.input.tensor];
  for (int p = 0; p < 256; ++p)
    ASSERT_EQ(graph::quantised(input, static_cast<float>(p) / 255).number, number(p));
  expect_judged(name, model, test::clothes(all, input, first, count), first);
}
TEST(Import, ClothesHaveTheLogitsOfOnnxruntimePerChannel) {
  expect_fashion("fashion_cnn", [](int p) { return p; });
}
TEST(Import, ClothesHaveTheLogitsOfOnnxruntimeInAResidualNetwork) {
  expect_fashion("fashion_residual", [](int p) { return p - 128; });
}
// pixel / 255 in steps of 1/256.
int in_256ths(int pixel) { return std::min(255, pixel + (pixel >= 128 ? 1 : 0)); }
TEST(Import, ClothesHaveTheLogitsOfOnnxruntimeWithFourBits) {
  expect_fashion("fashion_w4a4", in_256ths);
}
TEST(Import, ClothesHaveTheLogitsOfOnnxruntimeWithOneBit) {
  expect_fashion("fashion_bnn", in_256ths);
}

}  // namespace
}  // namespace kumiki::gen::onnx::import_test
