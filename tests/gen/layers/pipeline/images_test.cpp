// SPDX-License-Identifier: Apache-2.0
// Trained networks as pipelines on the native simulator, an image in each lane: the logits are
// onnxruntime's, bit by bit.
#include <gtest/gtest.h>

#include <functional>

#include "backends/sim/native/machine.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/pipeline/build.h"
#include "gen/layers/pipeline/folding.h"
#include "gen/layers/pipeline/host.h"
#include "gen/layers/pipeline/queues.h"
#include "gen/onnx/import.h"
#include "tests/gen/onnx/judged.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::pipeline::images_test {

using graph::Graph;
using graph::Tensor;

// How many slices each of them takes at most, and clocks of a frame.
struct Network {
  const char* name;
  std::int64_t clocks, slices;
  std::optional<NodeNames> in_trees = {};
};
const Network digits{"digits_mlp", 96, 25}, cnn{"fashion_cnn", 7100, 170},
    w4a4{"fashion_w4a4", 7100, 130}, bnn{"fashion_bnn", 784, 75},
    bnn_in_trees{"fashion_bnn", 784, 66, binarised_nodes},
    w4a4_in_trees{"fashion_w4a4", 7100, 1, all_nodes}, residual{"fashion_residual", 7056, 145};

using Images =
    std::function<std::vector<std::int32_t>(const Tensor&, std::size_t first, std::size_t count)>;

void expect_judged(const Network& network, std::size_t all_images, const Images& images_from) {
  const std::size_t count = test::long_form() ? 640 : 64;
  const auto model = onnx::import_model(test::model_file(network.name));
  const auto g = std::make_shared<const Graph>(model.graph);
  const std::size_t first = test::rotating_seed() % (all_images / count) * count;
  const auto images = images_from(g->tensors[g->input], first, count);
  const PipelinePlan plan =
      with_queues(folded({.graph = GraphFile{.file = network.name, .graph = g},
                          .clocks = network.clocks,
                          .in_trees = network.in_trees},
                         {}));
  EXPECT_LE(plan.interval(), network.clocks);
  EXPECT_LE(plan.slices(), network.slices);

  Builder builder;
  build_top(builder, build_pipeline, plan, input_shape(plan));
  backends::NativeLanes lanes(builder.design());
  const std::size_t each = count / ir::LaneMachine::lanes, size = images.size() / count;
  std::vector<Host> hosts;
  for (std::size_t at = 0; at < count; at += each)
    hosts.emplace_back(plan, std::span(images).subspan(at * size, each * size));
  play(hosts, plan, lanes, {.patience = 1'000'000});
  const test::Reals wanted = test::judged(network.name);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 10; ++k)
      differ += static_cast<float>(hosts[i / each].results()[i % each].at(k)) !=
                wanted.values.at((first + i) * 10 + k);
  EXPECT_EQ(differ, 0U) << "of " << 10 * count << " logits from image " << first << " on";
}

TEST(ImagesThroughPipeline, DigitsHaveTheLogitsOfOnnxruntime) {
  expect_judged(digits, 1797, [](const Tensor& input, std::size_t first, std::size_t count) {
    const auto all = test::digits(input);
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(64 * first);
    return std::vector(from, from + static_cast<std::ptrdiff_t>(64 * count));
  });
}

// The first and the last of the networks; in the long form all of them.
TEST(ImagesThroughPipeline, ClothesHaveTheLogitsOfOnnxruntime) {
  const test::Reals pixels = test::fashion();
  if (pixels.images == 0)
    GTEST_SKIP() << "NOT TESTED: networks of Fashion-MNIST as pipelines, since the package "
                    "dataset-fashion-mnist is missing";
  for (const Network& network :
       test::this_time(std::vector{cnn, w4a4, bnn, residual, bnn_in_trees, w4a4_in_trees}, 6)) {
    SCOPED_TRACE(network.name);
    expect_judged(network, 10'000, [&](const Tensor& input, std::size_t first, std::size_t count) {
      return test::clothes(pixels, input, first, count);
    });
  }
}

}  // namespace kumiki::gen::pipeline::images_test
