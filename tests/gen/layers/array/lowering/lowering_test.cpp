// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs as layers of an array, with numbers by hand; what is left to the host, and why.
#include "gen/layers/array/lowering/lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "gen/graph/text.h"
#include "gen/layers/array/lowering/suggest.h"
#include "gen/layers/array/messages.h"
#include "gen/layers/array/setup.h"

namespace kumiki::gen::array::lowering_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Padding = std::variant<std::int64_t, std::vector<std::int64_t>>;

Request request(const std::string& text) {
  Request r{.rows = 4, .columns = 4, .accumulators = 2};
  r.requantise = Requantise::float32;
  r.graph = GraphFile{.file = "t.graph",
                      .graph = std::make_shared<const graph::Graph>(
                          graph::parse_graph("t.graph", "graph t\n" + text))};
  return r;
}
Lowering lowered(const std::string& text) { return lower(request(text)); }

std::string weights(int count, int value = 1) {
  std::string text = "  weights";
  for (int i = 0; i < count; ++i) text += fmt::format(" {}", value);
  return text + "\n";
}

// A convolution of one channel to one; `window` as the graph's text has it.
std::string one_conv(const std::string& in, const std::string& out, const std::string& window,
                     int taps) {
  return fmt::format(
             "tensor x s8 {} scale 0x1p-1 zero 0\ntensor y s8 {} scale 0x1p-1 zero 0\ninput x\n"
             "output y\nconv c x -> y {}\n  scales 0x1p-4\n  bias 0\n",
             in, out, window) +
         weights(taps);
}

std::vector<std::int64_t> values(const Lowering& l) { return l.network.at(0).weights->values; }

TEST(Lowering, UnsignedNumbersGetASign) {
  // 2 (200 - 3) - (7 - 3) + 5 = 395; halved 197.5, to the even neighbour 198, + 10 = 208.
  const Request r = request(
      "tensor x u8 2x1x1 scale 0x1p-1 zero 3\ntensor y u8 1x1x1 scale 0x1p-1 zero 10\n"
      "input x\noutput y\nconv c x -> y kernel 1x1\n  scales 0x1p-1\n  bias 5\n  weights 2 -1\n");
  const Program p = program_of(r);
  const LayerJob& job = p.layers.at(0).job;
  EXPECT_EQ(job.shape.kind, Kind::fc);
  EXPECT_EQ(job.input_zero_point, 3 - 128);
  EXPECT_EQ(job.zero_point, 10 - 128);
  EXPECT_FALSE(job.clamp);
  EXPECT_THAT(p.layers[0].offsets, ElementsAre(5 + 125 * (2 - 1)));
  Tensor in(job.in_shape());
  in.at(0) = 200 - 128;
  in.at(1) = 7 - 128;
  EXPECT_EQ(reference(job, in, arithmetic_of(p.plan)).at(0), 208 - 128);
  EXPECT_EQ(p.lowering->layers[0].input_offset, 128);
  EXPECT_EQ(p.lowering->layers[0].output_offset, 128);
}

TEST(Lowering, NarrowNumbersStayAsTheyAreAndAreClamped) {
  const Lowering l = lowered(
      "tensor x u4 2x1x1 scale 0x1p-1 zero 3\ntensor y s4 1x1x1 scale 0x1p-1 zero -1\n"
      "input x\noutput y\nconv c x -> y kernel 1x1\n  scales 0x1p-1\n  bias 5\n  weights 2 -1\n");
  EXPECT_EQ(l.layers.at(0).input_offset, 0);
  EXPECT_EQ(l.layers[0].output_offset, 0);
  EXPECT_EQ(l.network[0].input_zero_point, 3);
  EXPECT_EQ(l.network[0].zero_point, -1);
  EXPECT_EQ(l.network[0].clamp, (std::array<std::int64_t, 2>{-8, 7}));
}

TEST(Lowering, KernelsThatAreNoSquareAreLaidIntoOne) {
  const std::string conv =
      "tensor x s8 1x5x5 scale 0x1p-1 zero 0\ntensor y s8 1x5x5 scale 0x1p-1 zero 0\ninput x\n"
      "output y\nconv c x -> y kernel 1x3 before 0x1 after 0x1\n  scales 0x1p-4\n  bias 0\n"
      "  weights 5 6 7\n";
  const Lowering l = lowered(conv);
  ASSERT_EQ(l.network.size(), 1u) << l.nodes[0].why;
  EXPECT_EQ(l.network[0].kernel, Sides(std::int64_t{3}));
  EXPECT_THAT(values(l), ElementsAre(5, 6, 7, 0, 0, 0, 0, 0, 0));
  // Above, left, below, right: the rows that only taps of 0 see lie below.
  EXPECT_EQ(l.network[0].padding, Padding(std::vector<std::int64_t>{0, 1, 2, 1}));
  EXPECT_EQ(shape_of(l.network[0]).conv.out_height(), 5);
  EXPECT_EQ(shape_of(l.network[0]).conv.out_width(), 5);
  EXPECT_EQ(l.nodes[0].why, "1x3 in 3x3: 6 of 9 taps are 0");
}

TEST(Lowering, DilationsBecomeTapsOfZeroWhereTheArrayHasThemNot) {
  // Rows four apart and columns two apart: with a dilation of 2 rows have a tap of 0 between them.
  const Lowering two = lowered(one_conv("1x6x6", "1x2x4", "kernel 2x2 dilation 4x2", 4));
  ASSERT_EQ(two.network.size(), 1u) << two.nodes[0].why;
  EXPECT_EQ(two.network[0].dilation, 2);
  EXPECT_THAT(values(two), ElementsAre(1, 1, 0, 0, 0, 0, 1, 1, 0));
  EXPECT_EQ(two.network[0].padding, Padding(std::vector<std::int64_t>{0, 0, 0, 2}));
  const Lowering three = lowered(one_conv("1x6x6", "1x3x3", "kernel 2x2 dilation 3x3", 4));
  EXPECT_EQ(three.network.at(0).dilation, 1);
  EXPECT_THAT(values(three), ElementsAre(1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1));
}

TEST(Lowering, WhatTheArrayIsNotBuiltForIsTheHosts) {
  const auto why = [](const std::string& in, const std::string& out, const std::string& window,
                      int taps) {
    const Lowering l = lowered(one_conv(in, out, window, taps));
    EXPECT_TRUE(l.network.empty());
    EXPECT_EQ(l.nodes.at(0).place, Place::host);
    return l.nodes[0].why;
  };
  EXPECT_EQ(why("1x13x13", "1x2x2", "kernel 12x12", 144),
            "a kernel of 12x12: at most 11 taps a side are built");
  EXPECT_EQ(why("1x3x3", "1x14x3", "kernel 1x1 before 11x0", 1),
            "padding of 11 rows: at most 10 is built");
}

// The array makes the results of a stride that divides both, and the host keeps its share.
TEST(Lowering, StridesThatTheArrayHasNotLeaveResultsOut) {
  const struct {
    const char *in, *out, *stride;
    std::int64_t made;
    std::array<std::int64_t, 2> kept;
    const char* why;
  } cases[] = {{"1x6x6",
                "1x3x6",
                "2x1",
                1,
                {2, 1},
                "2 times the results, of which the host keeps "
                "every second row and every single column"},
               {"1x9x9", "1x5x3", "2x3", 1, {2, 3}, "6 times the results"},
               {"1x9x9", "1x3x5", "4x2", 2, {2, 1}, "2 times the results"},
               {"1x11x11", "1x3x3", "5x5", 1, {5, 5}, "25 times the results"},
               {"1x17x17", "1x3x3", "8x8", 4, {2, 2}, "4 times the results"}};
  for (const auto& c : cases) {
    const Program p =
        program_of(request(one_conv(c.in, c.out, std::string("kernel 1x1 stride ") + c.stride, 1)));
    const LayerJob& job = p.layers.at(0).job;
    EXPECT_EQ(job.shape.conv.stride, c.made);
    EXPECT_EQ(job.kept, c.kept);
    const graph::Graph& g = *p.lowering->graph;
    EXPECT_EQ(graph::count(g.tensors[1].shape), std::size_t(job.out_shape().size()));
    EXPECT_GT(job.made_shape().size(), job.out_shape().size());
    EXPECT_THAT(p.lowering->nodes[0].why, HasSubstr(c.why));
  }
  // Nobody pools what is left out.
  const Lowering l = lowered(
      "tensor x s8 1x8x8 scale 1 zero 0\ntensor y s8 1x4x8 scale 1 zero 0\n"
      "tensor z s8 1x2x4 scale 1 zero 0\ninput x\noutput z\nconv c x -> y stride 2x1\n"
      "  scales 1\n  bias 0\n  weights 1\nmax_pool m y -> z kernel 2x2 stride 2x2\n");
  EXPECT_EQ(l.nodes[1].why, "the layer that gives its map leaves results out for its strides");
}

TEST(Lowering, NumbersThatTheArrayDoesNotHoldAreTheHosts) {
  const auto why = [](const char* in, int weight, int bias = 0) {
    const Lowering l = lowered(fmt::format(
        "tensor x {} 1x2x2 scale 0x1p-1 zero 0\ntensor y s8 1x2x2 scale 0x1p-1 zero 0\ninput x\n"
        "output y\nconv c x -> y kernel 1x1\n  scales 0x1p-4\n  bias {}\n  weights {}\n",
        in, bias, weight));
    return l.nodes.at(0).place == Place::host ? l.nodes[0].why : "";
  };
  EXPECT_EQ(why("s9", 1), "x is S9: the array has numbers of 8 bits");
  EXPECT_EQ(why("u9", 1), "x is U9: the array has numbers of 8 bits");
  EXPECT_EQ(why("u8", 128), "a weight of 128: the array has weights of 8 bits");
  EXPECT_EQ(why("u8", -129), "a weight of -129: the array has weights of 8 bits");
  EXPECT_EQ(why("u8", -128), "");
  EXPECT_EQ(why("s8", 2, INT32_MAX - 254), "");
  EXPECT_EQ(why("s8", 2, INT32_MAX - 253),
            "sums of its channel 0 can leave 32 bits; quantise that channel with a larger scale");
}

TEST(Lowering, OfOnePositionTheStrideIsFree) {
  // One row of results: its stride of 5 is that of the columns.
  const Lowering l = lowered(one_conv("1x3x7", "1x1x3", "kernel 3x3 stride 5x2", 9));
  ASSERT_EQ(l.network.size(), 1u) << l.nodes[0].why;
  EXPECT_EQ(l.network[0].stride, Sides(std::int64_t{2}));
  EXPECT_EQ(shape_of(l.network[0]).conv.out_height(), 1);
}

TEST(Lowering, AWindowThatIsTheWholeMapIsFullyConnected) {
  const Lowering l = lowered(one_conv("1x3x2", "1x1x1", "kernel 3x2", 6));
  EXPECT_EQ(l.network.at(0).type, LayerType::fc);
  EXPECT_EQ(l.network[0].inputs, 6);
  EXPECT_EQ(l.nodes[0].why, "the window is the whole map");
}

// A convolution of 5x5 and a pooling of its results.
std::string pooled(const std::string& pool, const std::string& size, const std::string& more = "",
                   const std::string& output = "z") {
  return "tensor x u8 1x5x5 scale 0x1p-1 zero 0\ntensor y u8 1x5x5 scale 0x1p-1 zero 9\n"
         "tensor z u8 " +
         size + " scale 0x1p-1 zero 9\n" +
         (more.empty() ? "" : "tensor w u8 1x5x5 scale 0x1p0 zero 0\n") + "input x\noutput " +
         output + "\nconv c x -> y kernel 3x3 before 1x1 after 1x1\n  scales 0x1p-4\n  bias 0\n" +
         weights(9) + "max_pool p y -> z " + pool + "\n" + more;
}

TEST(Lowering, PoolingIsJoinedToTheConvolution) {
  for (const auto& [window, size] :
       {std::pair{"kernel 2x2 stride 2x2", "1x2x2"}, {"kernel 3x3 stride 2x2", "1x2x2"}}) {
    const Lowering l = lowered(pooled(window, size));
    ASSERT_EQ(l.network.size(), 1u);
    EXPECT_EQ(l.nodes[1].place, Place::joined) << l.nodes[1].why;
    EXPECT_EQ(l.nodes[1].layer, 0u);
    EXPECT_EQ(l.network[0].pool->size, window[7] - '0');
    EXPECT_EQ(l.graph->tensors[l.layers[0].output].name, "z");
    EXPECT_THAT(l.actions, ElementsAre(Action{.on_array = true, .first = 0, .layers = 1}));
  }
}

TEST(Lowering, OtherPoolingIsTheHosts) {
  const auto why = [](const std::string& text, const auto&... change) {
    Request r = request(text);
    (change(r), ...);
    const Lowering l = lower(r);
    EXPECT_EQ(l.nodes.at(1).place, Place::host);
    EXPECT_FALSE(l.network.at(0).pool);
    EXPECT_THAT(l.actions,
                ElementsAre(Action{.on_array = true, .first = 0, .layers = 1}, Action{.node = 1}))
        << l.nodes[1].why;
    return l.nodes[1].why;
  };
  const std::string built = ": 2x2 and 3x3 at stride 2 without padding are built";
  EXPECT_EQ(why(pooled("kernel 2x2", "1x4x4")), "a stride of 1x1" + built);
  EXPECT_EQ(why(pooled("kernel 4x4 stride 2x2", "1x1x1")), "windows of 4x4" + built);
  EXPECT_EQ(why(pooled("kernel 2x2 stride 2x2 dilation 2x2", "1x2x2")),
            "a dilation of 2x2" + built);
  EXPECT_EQ(why(pooled("kernel 3x3 stride 2x2 before 1x1 after 1x1", "1x3x3")),
            "windows with padding" + built);
  EXPECT_EQ(why(pooled("kernel 2x2 stride 2x2", "1x2x2"), [](Request& r) { r.max_pool = false; }),
            "the array has no hardware for it: \"max_pool\" is false");
  EXPECT_EQ(why(pooled("kernel 3x3 stride 2x2", "1x2x2"), [](Request& r) { r.columns = 2; }),
            "windows of 3x3: the array is 4 x 2");
  // Somebody wants the map as it was.
  EXPECT_EQ(lowered(pooled("kernel 2x2 stride 2x2", "1x2x2", "", "y\noutput z")).nodes[1].why,
            "its map is read unpooled too");
  const Lowering l =
      lowered(pooled("kernel 2x2 stride 2x2", "1x2x2", "add a y y -> w\n", "z\noutput w"));
  EXPECT_EQ(l.nodes[1].why, "its map is read unpooled too");
  EXPECT_EQ(l.nodes[2].why, "two maps are added");
}

// Two channels of sums as they are, steps behind them; `conv` and `steps` are lines of the graph.
std::string stepped(const std::string& conv, const std::string& steps, const std::string& more = "",
                    const std::string& outputs = "output z\n") {
  return "tensor x u4 1x4x4 scale 0x1p0 zero 0\ntensor y s32 2x4x4 scale 0x1p0 zero 0\n"
         "tensor z u4 2x4x4 scale 0x1p-2 zero 0\n" +
         more + "input x\n" + outputs + "conv c x -> y kernel 1x1\n  scales 0x1p0\n" + conv +
         "thresholds t y -> z " + steps;
}

TEST(Lowering, StepsBehindSumsAreTheScaleOfTheLayer) {
  // Results 0 to 3 from sums of -10 to 15 * 7 - 10, and falling from 6 down to -39.
  const std::string text =
      stepped("  bias -10 6\n  weights 7 -3\n",
              "lowest 0 levels 3\n  begins 0 20 40 -30 -20 -10\n  falling 0 1\n");
  const Request r = request(text);
  const Lowering l = lower(r);
  ASSERT_EQ(l.network.size(), 1u) << l.nodes[1].why;
  EXPECT_EQ(l.nodes[0].place, Place::array);
  EXPECT_EQ(l.nodes[1].place, Place::joined);
  EXPECT_EQ(l.nodes[1].layer, 0u);
  EXPECT_EQ(l.nodes[1].why, "steps as results leave");
  EXPECT_THAT(l.nodes[0].why, HasSubstr("1 of 2 channels negated"));
  EXPECT_EQ(l.graph->tensors[l.layers[0].output].name, "z");
  EXPECT_EQ(l.network[0].clamp, (std::array<std::int64_t, 2>{0, 3}));
  EXPECT_THAT(l.actions, ElementsAre(Action{.on_array = true, .first = 0, .layers = 1}));
  const Program p = program_of(r);
  const LayerJob& job = p.layers.at(0).job;
  Tensor in(job.in_shape());
  for (int x = 0; x < 16; ++x) in.at(x) = x;
  const Tensor out = reference(job, in, arithmetic_of(p.plan));
  for (int x = 0; x < 16; ++x) {
    const int up = 7 * x - 10, down = -3 * x + 6;
    EXPECT_EQ(out.at(x), up >= 40 ? 3 : up >= 20 ? 2 : up >= 0 ? 1 : 0) << x;
    EXPECT_EQ(out.at(16 + x), down < -30 ? 3 : down < -20 ? 2 : down < -10 ? 1 : 0) << x;
  }
}

TEST(Lowering, StepsThatAreNoLineAreTheHosts) {
  const std::string bent = "lowest 0 levels 3\n  begins 0 20 40 20 21 200\n";
  const Lowering l = lowered(stepped("  bias 0 0\n  weights 7 7\n", bent));
  ASSERT_EQ(l.network.size(), 1u);
  EXPECT_EQ(l.nodes[0].why, "y of S32: what is reached fits 8 bits");
  EXPECT_EQ(l.nodes[1].place, Place::host);
  EXPECT_EQ(l.nodes[1].why,
            "channel 1: no scale begins its steps where they are, with weights times 1 to 18");
  EXPECT_THAT(l.actions,
              ElementsAre(Action{.on_array = true, .first = 0, .layers = 1}, Action{.node = 1}));
  // Sums of 0 to 255 leave with 128 less; one more, and they are the host's.
  const Lowering most = lowered(stepped("  bias 0 15\n  weights 7 16\n", bent));
  EXPECT_EQ(most.layers.at(0).output_offset, 128);
  const Lowering wide = lowered(stepped("  bias 0 16\n  weights 7 16\n", bent));
  EXPECT_TRUE(wide.network.empty());
  EXPECT_EQ(wide.nodes[0].why, "y is S32: the array has numbers of 8 bits");
}

TEST(Lowering, SumsThatOthersReadStayAsTheyAre) {
  const std::string steps = "lowest 0 levels 3\n  begins 0 20 40\n",
                    conv = "  bias 0 0\n  weights 7 -3\n";
  EXPECT_EQ(lowered(stepped(conv, steps)).nodes[1].place, Place::joined);
  const Lowering l = lowered(stepped(conv, steps, "", "output z\noutput y\n"));
  EXPECT_EQ(l.nodes[0].place, Place::array);
  EXPECT_EQ(l.nodes[1].place, Place::host);
  EXPECT_EQ(l.nodes[1].why, "thresholds of every channel");
}

TEST(Lowering, StepsBehindAnotherShapeAndPooling) {
  // y as rows of 2 x 8: the same channels, but windows of other numbers.
  const auto text = [](const std::string& shape, const std::string& pooled) {
    return "tensor x u4 1x4x4 scale 0x1p0 zero 0\ntensor y s32 2x4x4 scale 0x1p0 zero 0\n"
           "tensor r s32 " +
           shape + " scale 0x1p0 zero 0\ntensor z u4 " + shape +
           " scale 0x1p0 zero 0\ntensor p u4 " + pooled +
           " scale 0x1p0 zero 0\ninput x\n"
           "output p\nconv c x -> y kernel 1x1\n  scales 0x1p0\n  bias 0 0\n  weights 7 -3\n"
           "reshape s y -> r\nthresholds t r -> z lowest 0 levels 3\n  begins 0 20 40\n"
           "max_pool m z -> p kernel 2x2 stride 2x2\n";
  };
  const Lowering same = lowered(text("2x4x4", "2x2x2"));
  for (const std::size_t n : {1, 2, 3}) EXPECT_EQ(same.nodes[n].place, Place::joined) << n;
  EXPECT_EQ(same.graph->tensors[same.layers.at(0).output].name, "p");
  const Lowering other = lowered(text("2x2x8", "2x1x4"));
  EXPECT_EQ(other.nodes[2].place, Place::joined);
  EXPECT_EQ(other.nodes[3].place, Place::host);
  EXPECT_EQ(other.nodes[3].why, "the layer that gives its map has another one");
  // Other channels: the steps are not those of the layer's.
  const Lowering channels = lowered(text("4x2x4", "4x1x2"));
  EXPECT_EQ(channels.nodes[1].place, Place::free);
  EXPECT_EQ(channels.nodes[2].place, Place::host);
}

TEST(Lowering, TheMeanIsAConvolutionOfOnes) {
  const std::string text =
      "tensor x u8 2x3x2 scale 0x1.8p-1 zero 7\ntensor y u8 2x1x1 scale 0x1.4p-1 zero 9\n"
      "input x\noutput y\nglobal_average m x -> y\n";
  const Request r = request(text);
  const Lowering l = lower(r);
  ASSERT_EQ(l.network.size(), 1u) << l.nodes[0].why;
  const NetworkLayer& layer = l.network[0];
  EXPECT_EQ(layer.groups, 2);
  EXPECT_EQ(layer.kernel, Sides(std::int64_t{3}));
  EXPECT_THAT(layer.weights->values,
              ElementsAre(1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0));
  EXPECT_EQ(layer.padding, Padding(std::vector<std::int64_t>{0, 0, 0, 1}));
  // No other layer asks for a reach, so that every tap is a phase of its own.
  EXPECT_EQ(layer.stride, Sides(std::int64_t{3}));
  // Scale of the input / (that of the result * 6 pixels), each step in float32.
  EXPECT_EQ(std::get<double>(*layer.scale), double{0.75f / (0.625f * 6.0f)});
  EXPECT_EQ(layer.zero_point, 9 - 128);
  const Program p = program_of(r);
  EXPECT_THAT(p.layers.at(0).job.sum_shape(), (MapShape{2, 1, 1}));
  EXPECT_EQ(p.plan.request.reach, 1);
  Request far = request(text);
  far.reach = 3;
  EXPECT_EQ(lower(far).network.at(0).stride, Sides(std::int64_t{1}));
}

// c -> d, then the host adds both; e reads the sum, f the sum and g what f gives.
const char* const branches =
    "tensor x s8 1x4x4 scale 0x1p-1 zero 0\ntensor c s8 1x4x4 scale 0x1p-1 zero 0\n"
    "tensor d s8 1x4x4 scale 0x1p-1 zero 0\ntensor s s8 1x4x4 scale 0x1p-1 zero 0\n"
    "tensor e s8 1x4x4 scale 0x1p-1 zero 0\ntensor f s8 1x4x4 scale 0x1p-1 zero 0\n"
    "tensor r s8 16 scale 0x1p-1 zero 0\ntensor q s8 16x1x1 scale 0x1p-1 zero 0\n"
    "tensor g s8 1x1x1 scale 0x1p-1 zero 0\ninput x\noutput g\noutput e\n"
    "conv c x -> c kernel 1x1\n  scales 0x1p-1\n  bias 0\n  weights 1\n"
    "conv d c -> d kernel 1x1\n  scales 0x1p-1\n  bias 0\n  weights 1\n"
    "add s c d -> s\n"
    "conv e s -> e kernel 1x1\n  scales 0x1p-1\n  bias 0\n  weights 1\n"
    "conv f s -> f kernel 1x1\n  scales 0x1p-1\n  bias 0\n  weights 1\n"
    "reshape r f -> r\nreshape q r -> q\n"
    "conv g q -> g kernel 1x1\n  scales 0x1p-1\n  bias 0\n"
    "  weights 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n";

TEST(Lowering, LayersAreStartedTogetherUntilTheHostIsAsked) {
  const Lowering l = lowered(branches);
  std::vector<InputFrom> inputs;
  for (const NetworkLayer& n : l.network) inputs.push_back(*n.input);
  using enum InputFrom;
  EXPECT_THAT(inputs, ElementsAre(host, previous, host, host, previous));
  // Nodes that do nothing come when their numbers are there; the dense layer does not wait for it.
  EXPECT_THAT(l.actions,
              ElementsAre(Action{.on_array = true, .first = 0, .layers = 2}, Action{.node = 2},
                          Action{.on_array = true, .first = 2, .layers = 3}, Action{.node = 5},
                          Action{.node = 6}));
  EXPECT_EQ(l.graph->tensors[l.layers[4].input].name, "f");
  EXPECT_EQ(l, lowered(branches));
}

TEST(Lowering, AResultThatIsNotTheLastOneTakesAStartOfItsOwn) {
  const std::string conv = " kernel 1x1\n  scales 0x1p-1\n  bias 0\n  weights 1\n";
  std::string text = "tensor x s8 1x4x4 scale 0x1p-1 zero 0\n";
  for (const char* t : {"a", "b", "c"})
    text += fmt::format("tensor {} s8 1x4x4 scale 0x1p-1 zero 0\n", t);
  text += "input x\noutput b\noutput c\nconv a x -> a" + conv + "conv b a -> b" + conv +
          "conv c a -> c" + conv;
  EXPECT_THAT(lowered(text).actions,
              ElementsAre(Action{.on_array = true, .first = 0, .layers = 2},
                          Action{.on_array = true, .first = 2, .layers = 1}));
}

TEST(Lowering, WhatCannotBeExactIsRefusedOrTheHosts) {
  Request r = request(
      "tensor x s8 1x2x2 scale 0x1p-1 zero 0\ntensor y s8 2x2x2 scale 0x1p-1 zero 0\ninput x\n"
      "output y\nconv far x -> y kernel 1x1\n  scales 0x1.8p-18\n  bias 0 17039416\n"
      "  weights 1 2\n");
  try {
    (void)program_of(r);
    ADD_FAILURE() << "is not refused";
  } catch (const config::Refusal& e) {
    EXPECT_EQ(e.code(), code::beyond_float32);
    EXPECT_EQ(e.violation().key, "graph");
    EXPECT_THAT(e.what(), HasSubstr("node far: the sum of output channel 1 may become 17039359"));
    EXPECT_EQ(e.violation().required,
              "set \"inexact\" to \"host\" to leave such nodes to the host");
  }
  r.inexact = Inexact::host;
  try {
    (void)program_of(r);
    ADD_FAILURE() << "nothing is left for the array";
  } catch (const config::Refusal& e) {
    EXPECT_EQ(e.code(), code::nothing_on_array);
    EXPECT_THAT(e.what(), HasSubstr("far: the sum of output channel 1"));
  }
}

TEST(Lowering, KeysThatGraphsHaveNot) {
  Request r = request(one_conv("1x6x6", "1x6x6", "kernel 1x1", 1));
  EXPECT_TRUE(check_graph(r).empty());
  const auto first = [&](const auto& change) {
    Request other = r;
    change(other);
    const auto all = check_graph(other);
    return all.empty() ? "" : fmt::format("{} {}; {}", all[0].key, all[0].message, all[0].required);
  };
  EXPECT_EQ(first([](Request& o) { o.requantise = Requantise::fixed; }),
            "graph is given, but the array requantises with a fixed multiplier; set "
            R"("requantise" to "float32")");
  EXPECT_EQ(first([](Request& o) { o.network.resize(1); }),
            "graph is given beside \"network\"; give one or the other");
  EXPECT_EQ(
      first([](Request& o) { o.graph.reset(); }),
      "network is missing; give a list of layers, or \"graph\" with the file of a trained network");
  EXPECT_EQ(first([](Request& o) { o.batched_fc = true; }),
            "batched_fc is true, but a graph runs image by image; set it to false");
  EXPECT_EQ(first([](Request& o) { o.weights_from = WeightsFrom::random; }),
            "weights_from is given, but the graph has weights of its own; remove it");
}

TEST(Lowering, AnArrayIsSuggestedThatRunsIt) {
  const Request given = request(branches);
  const Request r = suggested(given.graph->graph, "t.graph");
  EXPECT_EQ(r.graph->file, "t.graph");
  EXPECT_EQ(r.requantise, Requantise::float32);
  EXPECT_EQ(program_of(r).layers.size(), 5u);
}

}  // namespace
}  // namespace kumiki::gen::array::lowering_test
