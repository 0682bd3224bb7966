// SPDX-License-Identifier: Apache-2.0
// Graphs on the netlist of an array, an image in each lane of the native simulator: random graphs
// against their definition, trained networks against onnxruntime, bit by bit.
#include "gen/layers/array/lowering/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <functional>
#include <random>
#include <set>

#include "backends/sim/native/machine.h"
#include "gen/graph/text.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/array/build.h"
#include "gen/layers/array/lowering/suggest.h"
#include "gen/layers/array/setup.h"
#include "gen/layers/common/messages.h"
#include "gen/onnx/import.h"
#include "tests/gen/onnx/judged.h"
#include "tests/support/long_form.h"
#include "tests/support/random_graph.h"
#include "tests/support/seed.h"

namespace kumiki::gen::array::images_test {
namespace {

using graph::Graph;
using graph::Tensor;
using graph::TensorId;
using kumiki::test::random_images;
using kumiki::test::RandomGraph;
using ::testing::HasSubstr;
using Memories = std::vector<GraphOnArray::Memory>;

std::unique_ptr<Builder> netlist(const ArrayPlan& plan) {
  auto builder = std::make_unique<Builder>();
  build_top(*builder, array::build, plan, input_shape(plan));
  return builder;
}

Request request_of(const Graph& g, std::uint64_t seed) {
  Request r;
  r.rows = 2 + static_cast<std::int64_t>(seed % 4);
  r.columns = 2 + static_cast<std::int64_t>(seed / 4 % 4);
  r.accumulators = 1 + static_cast<std::int64_t>(seed / 16 % 4);
  r.split = 1 + static_cast<std::int64_t>(seed / 64 % 2);
  r.requantise = Requantise::float32;
  r.graph = GraphFile{.file = "random.graph", .graph = std::make_shared<const Graph>(g)};
  return r;
}

using Made = Graph (RandomGraph::*)();

// What the graphs of a run have used: places, and operators with their places.
struct Used {
  std::set<Place> places;
  std::set<std::string> operators;
};

void expect_as_defined(Made make, std::uint64_t seed, Used& used) {
  RandomGraph random(seed);
  const Graph g = (random.*make)();
  SCOPED_TRACE(graph::to_text(g));
  const Request request = request_of(g, seed);
  if (lower(request).network.empty()) return;
  const Program program = program_of(request);
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    const Place place = program.lowering->nodes[n].place;
    used.places.insert(place);
    used.operators.insert(fmt::format("{} {}", graph::name_of(g.nodes[n].op), name(place)));
  }
  const auto builder = netlist(program.plan);
  backends::NativeLanes lanes(builder->design());
  const std::size_t count = 5;
  const auto images = random_images(g, count, seed);
  Memories memories;
  const GraphOnArray network(program);
  ASSERT_NO_THROW(network.run(images, *on_lanes(lanes, ""), memories, {.machine = "native"}));
  // Outputs as well, which the host may have made of it.
  const graph::Interpreter definition(g);
  for (const TensorId id : g.outputs) {
    const auto wanted = definition.run_all(images, id, 1);
    const std::size_t size = wanted.size() / count;
    for (std::size_t n = 0; n < wanted.size(); ++n)
      ASSERT_EQ(memories[n / size].at(id).at(n % size), wanted[n]);
  }
}

// So many graphs, and then more until everything was used that a test asks for: a place that
// few graphs use is not left to luck.
void expect_as_defined(Made make, int graphs, const std::function<bool(const Used&)>& complete) {
  const std::uint64_t seed = kumiki::test::rotating_seed();
  const int most = 1000;
  Used used;
  for (int i = 0; i < graphs || !complete(used); ++i) {
    ASSERT_LT(i, most) << "random graphs no longer use what they should";
    SCOPED_TRACE(fmt::format("graph {}", i));
    expect_as_defined(make, seed * 1000 + static_cast<std::uint64_t>(i), used);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(ImagesOnArray, RandomGraphsAreAsDefined) {
  expect_as_defined(&RandomGraph::made, kumiki::test::long_form() ? 200 : 12, [](const Used& used) {
    return std::ranges::all_of(std::array{Place::array, Place::joined, Place::free, Place::host},
                               [&](Place p) { return used.places.contains(p); });
  });
}

// The host computes what is no linear layer.
TEST(ImagesOnArray, RandomBlocksOfTransformersAreAsDefined) {
  const std::array wanted = {"conv array", "constant host", "matmul host", "softmax host",
                             "layer_norm host"};
  expect_as_defined(&RandomGraph::of_tokens, kumiki::test::long_form() ? 100 : 6,
                    [&](const Used& used) {
                      return std::ranges::all_of(
                          wanted, [&](const char* o) { return used.operators.contains(o); });
                    });
}

TEST(ImagesOnArray, RandomGraphsOfFewBitsAreAsDefined) {
  const std::array wanted = {"conv array", "thresholds joined", "thresholds host", "reshape joined",
                             "max_pool joined"};
  expect_as_defined(&RandomGraph::of_few_bits, kumiki::test::long_form() ? 300 : 30,
                    [&](const Used& used) {
                      return std::ranges::all_of(
                          wanted, [&](const char* o) { return used.operators.contains(o); });
                    });
}

// Bytes of the logits that are not onnxruntime's.
void expect_judged(const std::string& name, std::size_t count, std::size_t all_images,
                   const std::function<std::vector<std::int32_t>(const Tensor&, std::size_t,
                                                                 std::size_t)>& images_from) {
  const auto model = onnx::import_model(kumiki::test::model_file(name));
  const Graph& g = model.graph;
  const std::size_t first = kumiki::test::rotating_seed() % (all_images / count) * count;
  const auto images = images_from(g.tensors[g.input], first, count);
  const Program program = program_of(suggested(std::make_shared<const Graph>(g), name));
  if (name == "fashion_w4a4" || name == "fashion_bnn") {
    for (const LoweredNode& n : program.lowering->nodes) EXPECT_NE(n.place, Place::host) << n.why;
  }
  const auto builder = netlist(program.plan);
  backends::NativeLanes lanes(builder->design());
  const auto machine = on_lanes(lanes, "");
  const GraphOnArray network(program);
  const kumiki::test::Reals wanted = kumiki::test::judged(name);
  const std::size_t size = images.size() / count, output = g.outputs[0];
  std::size_t differ = 0;
  for (std::size_t at = 0; at < count; at += machine->most_images()) {
    const std::size_t some = std::min(machine->most_images(), count - at);
    Memories memories;
    const std::int64_t clocks =
        network.run(std::span(images).subspan(at * size, some * size), *machine, memories,
                    {.machine = "native", .first_image = first + at});
    EXPECT_GE(clocks, network.planned_clocks());
    for (std::size_t i = 0; i < some; ++i)
      for (std::size_t k = 0; k < 10; ++k)
        differ += static_cast<float>(memories[i].at(output).at(k)) !=
                  wanted.values.at((first + at + i) * 10 + k);
  }
  EXPECT_EQ(differ, 0U) << "of " << 10 * count << " logits from image " << first << " on";
}

std::size_t judged_images() { return kumiki::test::long_form() ? 640 : 64; }

TEST(ImagesOnArray, DigitsHaveTheLogitsOfOnnxruntime) {
  expect_judged("digits_mlp", judged_images(), 1797,
                [](const Tensor& input, std::size_t first, std::size_t count) {
                  const auto all = kumiki::test::digits(input);
                  const auto from = all.begin() + static_cast<std::ptrdiff_t>(64 * first);
                  return std::vector(from, from + static_cast<std::ptrdiff_t>(64 * count));
                });
}

void expect_clothes(const std::string& name) {
  const kumiki::test::Reals pixels = kumiki::test::fashion();
  if (pixels.images == 0)
    GTEST_SKIP() << "NOT TESTED: " << name
                 << " on an array, since the package dataset-fashion-mnist is missing";
  expect_judged(name, judged_images(), 10'000,
                [&](const Tensor& input, std::size_t first, std::size_t count) {
                  return kumiki::test::clothes(pixels, input, first, count);
                });
}
TEST(ImagesOnArray, ClothesHaveTheLogitsOfOnnxruntime) { expect_clothes("fashion_cnn"); }
TEST(ImagesOnArray, ClothesHaveTheLogitsOfOnnxruntimeIn4Bits) { expect_clothes("fashion_w4a4"); }
TEST(ImagesOnArray, ClothesHaveTheLogitsOfOnnxruntimeIn1Bit) { expect_clothes("fashion_bnn"); }
TEST(ImagesOnArray, ClothesHaveTheLogitsOfOnnxruntimeInAResidualNetwork) {
  expect_clothes("fashion_residual");
}

// A lane whose handshake leaves the others'.
class OneLaneWaits : public ir::LaneMachine {
 public:
  explicit OneLaneWaits(ir::LaneMachine& right) : right_(right) {}
  const ir::PortLayout& ports() const override { return right_.ports(); }
  void power_up() override { right_.power_up(); }
  void set(unsigned input, std::span<const ir::Lanes> bits) override { right_.set(input, bits); }
  void get(unsigned output, std::span<ir::Lanes> bits) override {
    right_.get(output, bits);
    if (clocks_ == 20 && ports().outputs[output].name == "s_axis_ind_tready")
      bits[0] ^= ir::Lanes{1} << 3;
  }
  void clock() override {
    ++clocks_;
    right_.clock();
  }

 private:
  ir::LaneMachine& right_;
  int clocks_ = 0;
};

TEST(ImagesOnArray, LanesOfAnotherTimingAreFoundOut) {
  const Graph g = graph::parse_graph(
      "t.graph",
      "graph t\ntensor x u8 1x6x6 scale 0x1p-1 zero 3\ntensor y u8 2x6x6 scale 0x1p-1 zero 0\n"
      "input x\noutput y\nconv c x -> y kernel 1x1\n  scales 0x1p-1\n  bias 0 1\n  weights 1 2\n");
  const Program program = program_of(request_of(g, 0));
  const auto builder = netlist(program.plan);
  backends::NativeLanes lanes(builder->design());
  OneLaneWaits waits(lanes);
  const auto run = [&](std::size_t images) {
    Memories memories;
    GraphOnArray(program).run(random_images(g, images, 1), *on_lanes(waits, ""), memories, {});
  };
  try {
    run(4);
    ADD_FAILURE() << "nobody has seen it";
  } catch (const DesignError& e) {
    EXPECT_EQ(e.code(), code::stream_rule_broken);
    EXPECT_THAT(e.what(),
                HasSubstr("s_axis_ind_tready is another bit for image 3 than for image 0"));
  }
}

}  // namespace
}  // namespace kumiki::gen::array::images_test
