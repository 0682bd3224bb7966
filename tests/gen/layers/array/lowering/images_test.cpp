// SPDX-License-Identifier: Apache-2.0
// Graphs on the netlist of an array, an image in each lane of the native simulator: random graphs
// against their definition, trained networks against onnxruntime, bit by bit.
#include "gen/layers/array/lowering/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <random>
#include <set>

#include "backends/sim/native/machine.h"
#include "gen/graph/text.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/array/build.h"
#include "gen/layers/array/lowering/suggest.h"
#include "gen/layers/array/setup.h"
#include "gen/onnx/import.h"
#include "tests/gen/onnx/judged.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::array::images_test {
namespace {

using graph::Graph;
using graph::Tensor;
using graph::TensorId;
using ::testing::HasSubstr;
using Memories = std::vector<GraphOnArray::Memory>;

std::unique_ptr<Builder> netlist(const ArrayPlan& plan) {
  auto builder = std::make_unique<Builder>();
  build_top(*builder, array::build, plan, input_shape(plan));
  return builder;
}

// Small graphs of everything that a graph has.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {}

  // Of few bits: sums as they are, steps of every channel behind them, logits that are sums.
  Graph of_few_bits() {
    g_ = {};
    g_.name = "few";
    g_.input = tensor({number(1, 3), number(4, 8), number(4, 8)}, any(narrow));
    TensorId at = g_.input;
    for (int layers = number(1, 3); layers > 0; --layers) {
      const graph::Shape map = g_.tensors[at].shape;
      at = sums(at, number(0, 4) == 0 ? graph::Window{} : window(map), number(1, 5), 7);
      if (number(0, 4) == 0) {
        const graph::Shape& s = g_.tensors[at].shape;
        at = node(graph::Reshape{}, {at}, like(at, {s[0], s[2], s[1]}));
      }
      at = steps(at);
      if (number(0, 1) == 0) {
        maps_ = {at};
        pool(at);
        at = maps_.back();
      }
    }
    const int size = static_cast<int>(graph::count(g_.tensors[at].shape));
    at = node(graph::Reshape{}, {at}, like(at, {size, 1, 1}));
    at = sums(at, {}, number(1, 12), 1);
    if (number(0, 1) == 0)
      at = steps(node(graph::Reshape{}, {at}, like(at, {g_.tensors[at].shape[0]})));
    g_.outputs = {at};
    graph::require_legal(g_);
    return std::move(g_);
  }

  Graph made() {
    g_ = {};
    g_.name = "random";
    g_.input = tensor({number(1, 3), number(4, 9), number(4, 9)}, format());
    maps_ = {g_.input};
    const int nodes = number(3, 6);
    while (static_cast<int>(g_.nodes.size()) < nodes) add();
    if (number(0, 1) == 0) mean();
    dense(maps_.back());
    g_.outputs = {g_.nodes.back().output};
    // Somebody wants a map in between, pooled or not.
    if (number(0, 3) == 0) g_.outputs.push_back(any(maps_));
    graph::require_legal(g_);
    return std::move(g_);
  }

 private:
  int number(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  template <class T>
  T any(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(number(0, static_cast<int>(all.size()) - 1))];
  }
  arith::Format format() {
    return number(0, 7) == 0 ? arith::Format{4, number(0, 1) == 0}
                             : arith::Format{8, number(0, 1) == 0};
  }
  TensorId tensor(const graph::Shape& shape, arith::Format f) {
    const auto range = f.range();
    const int low = static_cast<int>(range.lo), high = static_cast<int>(range.hi);
    g_.tensors.push_back({fmt::format("t{}", g_.tensors.size()), shape, f,
                          any(std::vector{low, high, number(low, high)}),
                          static_cast<float>(number(50, 200)) / 1000});
    return g_.tensors.size() - 1;
  }
  TensorId like(TensorId id, const graph::Shape& shape) {
    Tensor t = g_.tensors[id];
    t.name = fmt::format("t{}", g_.tensors.size());
    t.shape = shape;
    g_.tensors.push_back(t);
    return g_.tensors.size() - 1;
  }
  TensorId node(graph::Operator op, std::vector<TensorId> inputs, TensorId output) {
    const auto name = fmt::format("/{}/{}", g_.nodes.size(), graph::name_of(op));
    g_.nodes.push_back({name, std::move(op), std::move(inputs), output});
    return output;
  }

  TensorId sums(TensorId in, const graph::Window& w, int outputs, int most) {
    const graph::Shape map = g_.tensors[in].shape;
    graph::Conv c{.window = w};
    for (int i = 0; i < map[0] * w.kernel[0] * w.kernel[1] * outputs; ++i)
      c.weights.push_back(static_cast<std::int16_t>(number(-most, most)));
    for (int o = 0; o < outputs; ++o) c.bias.push_back(number(-20, 20));
    c.scales = {1};
    g_.tensors.push_back({fmt::format("t{}", g_.tensors.size()),
                          {outputs, w.positions(0, map[1]), w.positions(1, map[2])},
                          {32, true},
                          0,
                          1});
    return node(std::move(c), {in}, g_.tensors.size() - 1);
  }
  // Steps as a batch normalisation makes them, of falling channels too; some that nothing reaches,
  // some that no scale makes.
  TensorId steps(TensorId in) {
    const arith::Format f = any(narrow);
    const auto range = f.range();
    graph::Thresholds t;
    t.lowest = static_cast<int>(range.lo) + (f.is_signed ? 1 : 0);
    t.levels = static_cast<int>(range.hi) - t.lowest;
    const bool sign = number(0, 2) == 0;
    const int channels = g_.tensors[in].shape[0];
    for (int c = 0; c < channels; ++c) {
      const int stride = number(1, 200), first = number(-150, 100), bend = number(0, 40);
      for (int l = 0; l < t.levels; ++l)
        t.begins.push_back(sign ? first : bend == 0 ? first + l * l : first + l * stride / 10);
    }
    if (number(0, 1) == 0)
      for (int c = 0; c < channels; ++c)
        t.falling.push_back(static_cast<std::uint8_t>(number(0, 1)));
    const TensorId out = tensor(g_.tensors[in].shape, f);
    return node(std::move(t), {in}, out);
  }

  // A window that the array has, mostly; of an awkward one now and then.
  graph::Window window(const graph::Shape& map) {
    for (;;) {
      graph::Window w;
      const bool square = number(0, 2) > 0;
      for (const std::size_t a : {0, 1}) {
        w.kernel[a] = a == 1 && square ? w.kernel[0] : number(1, 4);
        w.stride[a] = a == 1 && number(0, 5) > 0 ? w.stride[0] : number(1, 3);
        w.dilation[a] = a == 1 && square ? w.dilation[0] : number(0, 3) == 0 ? number(2, 3) : 1;
        w.before[a] = number(0, 2);
        w.after[a] = number(0, 2);
      }
      if (w.reach(0) <= map[1] + w.before[0] + w.after[0] &&
          w.reach(1) <= map[2] + w.before[1] + w.after[1])
        return w;
    }
  }
  TensorId conv(TensorId in, const graph::Window& w, int groups, int outputs, arith::Format f) {
    const graph::Shape map = g_.tensors[in].shape;
    graph::Conv c{.window = w, .groups = groups};
    const int terms = map[0] / groups * w.kernel[0] * w.kernel[1];
    for (int i = 0; i < terms * outputs; ++i)
      c.weights.push_back(static_cast<std::int16_t>(number(-128, 127)));
    for (int o = 0; o < outputs; ++o) c.bias.push_back(number(-3000, 3000));
    const int scales = number(0, 1) == 0 ? 1 : outputs;
    for (int o = 0; o < scales; ++o)
      c.scales.push_back(static_cast<float>(number(500, 2000)) * 1e-6F /
                         std::sqrt(static_cast<float>(terms)) * (f.bits == 4 ? 0.06F : 1.0F));
    return node(std::move(c), {in},
                tensor({outputs, w.positions(0, map[1]), w.positions(1, map[2])}, f));
  }
  void pool(TensorId in) {
    const graph::Shape map = g_.tensors[in].shape;
    graph::MaxPool p;
    p.window = {.kernel = {2, 2}, .stride = {2, 2}};
    if (number(0, 2) == 0) p.window.kernel = {3, 3};
    if (number(0, 3) == 0) p.window.stride = {1, 2};
    if (number(0, 3) == 0) p.window.before = {1, 0};
    if (map[1] < p.window.kernel[0] || map[2] < p.window.kernel[1]) return;
    maps_.push_back(node(
        p, {in}, like(in, {map[0], p.window.positions(0, map[1]), p.window.positions(1, map[2])})));
  }
  void add() {
    const TensorId in = number(0, 3) > 0 ? maps_.back() : any(maps_);
    const graph::Shape map = g_.tensors[in].shape;
    const int what = number(0, 9);
    if (what == 0) {
      std::vector<std::int16_t> values;
      const TensorId out = tensor(map, {8, true});
      for (int i = 0; i < 1 << g_.tensors[in].format.bits; ++i)
        values.push_back(static_cast<std::int16_t>(number(-128, 127)));
      maps_.push_back(node(graph::Lookup{values}, {in}, out));
    } else if (what == 1) {
      maps_.push_back(node(graph::Add{}, {in, in}, tensor(map, format())));
    } else if (what == 2) {
      maps_.push_back(node(graph::Concat{}, {in, in}, like(in, {2 * map[0], map[1], map[2]})));
    } else if (what == 3) {
      maps_.push_back(node(graph::Transpose{{0, 2, 1}}, {in}, like(in, {map[0], map[2], map[1]})));
    } else if (what == 4) {
      maps_.push_back(node(graph::Reshape{}, {in}, like(in, {map[0], map[2], map[1]})));
    } else {
      const bool by_channel = number(0, 3) == 0;
      const int outputs = by_channel ? map[0] * number(1, 2) : number(1, 5);
      const graph::Window w =
          number(0, 3) == 0 ? graph::Window{} : window(map);  // of 1x1 now and then
      maps_.push_back(conv(in, w, by_channel ? map[0] : 1, outputs, format()));
      if (number(0, 1) == 0) pool(maps_.back());
    }
  }
  void mean() {
    const TensorId in = maps_.back();
    maps_.push_back(
        node(graph::GlobalAverage{}, {in}, tensor({g_.tensors[in].shape[0], 1, 1}, format())));
  }
  void dense(TensorId in) {
    const int size = static_cast<int>(graph::count(g_.tensors[in].shape));
    const TensorId flat = node(graph::Reshape{}, {in}, like(in, {size})),
                   map = node(graph::Reshape{}, {flat}, like(in, {size, 1, 1}));
    conv(map, {}, 1, number(1, 20), format());
  }

  const std::vector<arith::Format> narrow{{2, true}, {4, false}, {4, true}, {3, false}};
  std::mt19937_64 random_;
  Graph g_;
  std::vector<TensorId> maps_;
};

std::vector<std::int32_t> random_images(const Graph& g, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto range = g.tensors[g.input].format.range();
  std::uniform_int_distribution<std::int32_t> any(static_cast<std::int32_t>(range.lo),
                                                  static_cast<std::int32_t>(range.hi));
  std::vector<std::int32_t> all(count * graph::count(g.tensors[g.input].shape));
  for (std::int32_t& n : all) n = any(random);
  return all;
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
void expect_as_defined(Made make, int graphs, std::map<Place, int>& places,
                       std::set<std::string>& operators) {
  const std::uint64_t seed = kumiki::test::rotating_seed();
  for (int i = 0; i < graphs; ++i) {
    SCOPED_TRACE(fmt::format("graph {}", i));
    const std::uint64_t own = seed * 1000 + static_cast<std::uint64_t>(i);
    RandomGraph random(own);
    const Graph g = (random.*make)();
    SCOPED_TRACE(graph::to_text(g));
    const Request request = request_of(g, own);
    if (lower(request).network.empty()) continue;
    const Program program = program_of(request);
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      const Place place = program.lowering->nodes[n].place;
      ++places[place];
      operators.insert(fmt::format("{} {}", graph::name_of(g.nodes[n].op), name(place)));
    }
    const auto builder = netlist(program.plan);
    backends::NativeLanes lanes(builder->design());
    const std::size_t count = 5;
    const auto images = random_images(g, count, own);
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
}

TEST(ImagesOnArray, RandomGraphsAreAsDefined) {
  std::map<Place, int> places;
  std::set<std::string> operators;
  expect_as_defined(&RandomGraph::made, kumiki::test::long_form() ? 200 : 12, places, operators);
  for (const Place p : {Place::array, Place::joined, Place::free, Place::host})
    EXPECT_GT(places[p], 0) << name(p);
}

TEST(ImagesOnArray, RandomGraphsOfFewBitsAreAsDefined) {
  std::map<Place, int> places;
  std::set<std::string> operators;
  expect_as_defined(&RandomGraph::of_few_bits, kumiki::test::long_form() ? 300 : 30, places,
                    operators);
  for (const char* o :
       {"conv array", "thresholds joined", "thresholds host", "reshape joined", "max_pool joined"})
    EXPECT_TRUE(operators.contains(o)) << o;
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
  if (!kumiki::test::long_form()) GTEST_SKIP() << "the long form has it";
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
    EXPECT_EQ(e.code(), Code::stream_rule_broken);
    EXPECT_THAT(e.what(),
                HasSubstr("s_axis_ind_tready is another bit for image 3 than for image 0"));
  }
}

}  // namespace
}  // namespace kumiki::gen::array::images_test
