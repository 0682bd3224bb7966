// SPDX-License-Identifier: Apache-2.0
// The plan's arithmetic, and the model against the convolution as textbooks write it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "gen/layers/matrix/layer.h"
#include "gen/layers/matrix/model.h"
#include "gen/layers/matrix/reference.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::matrix {
namespace matrix_matrix_test {

using ::testing::HasSubstr;

std::vector<std::int64_t> random_values(std::int64_t count, std::mt19937_64& random) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back(static_cast<std::int64_t>(random() % 256) - 128);
  return all;
}

// x [channel][line][column]
std::int64_t convolved(const ConvShape& s, const std::vector<std::int64_t>& x,
                       const std::vector<std::int64_t>& w, std::int64_t out, std::int64_t oy,
                       std::int64_t ox) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < s.group_in(); ++i)
    for (std::int64_t ky = 0; ky < s.kernel_height; ++ky)
      for (std::int64_t kx = 0; kx < s.kernel_width; ++kx) {
        const std::int64_t y = oy * s.stride.y + ky * s.dilation.y - s.padding.top;
        const std::int64_t z = ox * s.stride.x + kx * s.dilation.x - s.padding.left;
        if (y < 0 || y >= s.height || z < 0 || z >= s.width) continue;
        const std::int64_t channel = out / s.group_out() * s.group_in() + i;
        sum += x[static_cast<std::size_t>((channel * s.height + y) * s.width + z)] *
               w[static_cast<std::size_t>(s.weight_index(out, i, ky, kx))];
      }
  return sum;
}

struct Shape {
  const char* name;
  MatrixRequest request;
};
void PrintTo(const Shape& s, std::ostream* out) { *out << s.name; }
std::string name_of(const ::testing::TestParamInfo<Shape>& info) { return info.param.name; }

class Definition : public ::testing::TestWithParam<Shape> {};

// Three frames through the model; every result of every pixel is the sum of the definition.
TEST_P(Definition, ThreeFrames) {
  MatrixRequest request = GetParam().request;
  const ConvShape& s = request.shape;
  std::mt19937_64 random(7);
  const auto weights = random_values(s.weight_count(), random);
  const bool embedded = !request.values.empty();
  if (embedded) request.values = weights;
  const MatrixPlan p = plan(request);
  // Weights that are loaded come in the order in which the matrix wants them.
  MatrixPlan with_values = p;
  with_values.values = weights;

  std::vector<std::vector<std::int64_t>> frames;
  for (int f = 0; f < 3; ++f)
    frames.push_back(random_values(s.in_channels * s.height * s.width, random));

  MatrixModel model(p);
  const std::int64_t beats = p.in_beats(), a_line = beats / s.height;
  const std::int64_t weight_beats = p.tiles * p.words * p.rows;
  std::int64_t sent = 0, weights_sent = 0, results = 0;
  const std::int64_t a_frame = s.out_height() * p.pixel_groups * p.tiles;
  for (std::int64_t cycle = 0; results < 3 * a_frame; ++cycle) {
    ASSERT_LT(cycle, 60'000) << "it came to a stop after " << results << " results";
    MatrixIn<Values> in{.rst = false,
                        .in_valid = random() % 4 != 0,
                        .in_data = {},
                        .out_ready = random() % 3 != 0,
                        .w_valid = {},
                        .w_data = {}};
    for (std::int64_t i = 0; i < p.beat * p.rows; ++i) {
      const std::int64_t word = sent % a_line * p.beat + i / p.rows, y = sent / a_line % s.height,
                         block = word % p.pixel_words(), x = word / p.pixel_words(),
                         in_group = block % p.blocks * p.rows + i % p.rows,
                         channel = block / p.blocks * s.group_in() + in_group;
      const std::int64_t value =
          in_group < s.group_in() && x < s.width && sent < 3 * beats
              ? frames[static_cast<std::size_t>(sent / beats)]
                      [static_cast<std::size_t>((channel * s.height + y) * s.width + x)]
              : 77;  // no such channel: its weights are 0; or past the end of the line
      in.in_data.push_back(static_cast<std::uint64_t>(value) & 255);
    }
    if (!embedded) {
      in.w_valid.push_back(random() % 2 == 0);
      const std::int64_t word = weights_sent / p.rows % p.words,
                         tile = weights_sent / p.rows / p.words;
      for (std::int64_t c = 0; c < p.tile_channels(); ++c)
        in.w_data.push_back(weights_sent < weight_beats
                                ? static_cast<std::uint64_t>(
                                      with_values.weight(tile, word, weights_sent % p.rows, c)) &
                                      255
                                : 0);
    }
    const auto out = model.step(in);
    sent += out.in_ready && in.in_valid ? 1 : 0;
    if (!embedded) weights_sent += out.w_ready[0] && in.w_valid[0] ? 1 : 0;
    if (!out.out_valid || !in.out_ready) continue;
    const std::int64_t f = results / a_frame, set = results % a_frame, tile = set % p.tiles,
                       group = set / p.tiles % p.pixel_groups, oy = set / p.tiles / p.pixel_groups;
    EXPECT_EQ(out.out_last, set == a_frame - 1);
    for (std::int64_t c = 0; c < p.tile_channels(); ++c)
      for (std::int64_t k = 0; k < p.pixels; ++k) {
        const std::int64_t channel = p.output_channel(tile, c);
        std::int64_t ox = group * p.pixels + k;
        if (ox >= s.out_width()) ox = group * p.pixels;  // repeats the first
        const int bits = p.result_format(c, k).bits;
        const std::int64_t want = channel < 0 ? 0
                                              : convolved(s, frames[static_cast<std::size_t>(f)],
                                                          weights, channel, oy, ox);
        ASSERT_EQ(out.out_data[static_cast<std::size_t>(c * p.pixels + k)],
                  static_cast<std::uint64_t>(want) & ((std::uint64_t{1} << bits) - 1))
            << "frame " << f << ", channel " << channel << ", pixel " << oy << ", " << ox;
      }
    ++results;
  }
}

std::vector<Shape> shapes() {
  const std::vector<std::int64_t> embedded{0};
  return {
      {"matrix_times_vector",
       {.shape = {.in_channels = 10, .out_channels = 7},
        .sharing = Sharing::Input,
        .rows = 4,
        .columns = 2,
        .values = embedded}},
      {"matrix_times_matrix",
       {.shape = {.in_channels = 5, .width = 4, .out_channels = 3},
        .rows = 2,
        .columns = 2,
        .values = embedded}},
      {"same_size",
       {.shape = {.in_channels = 3,
                  .height = 5,
                  .width = 6,
                  .out_channels = 4,
                  .kernel_height = 3,
                  .kernel_width = 3,
                  .padding = 1},
        .rows = 2,
        .columns = 3,
        .values = embedded}},
      {"lines_nobody_wants",
       {.shape = {.in_channels = 2,
                  .height = 6,
                  .width = 8,
                  .out_channels = 2,
                  .kernel_height = 1,
                  .kernel_width = 1,
                  .stride = 4},
        .rows = 2,
        .columns = 1,
        .values = embedded}},
      {"stride_and_loaded",
       {.shape = {.in_channels = 3,
                  .height = 7,
                  .width = 5,
                  .out_channels = 5,
                  .kernel_height = 3,
                  .kernel_width = 3,
                  .stride = 2,
                  .padding = 1},
        .rows = 2,
        .columns = 2}},
      {"groups_and_dilation",
       {.shape = {.in_channels = 4,
                  .height = 6,
                  .width = 7,
                  .out_channels = 6,
                  .kernel_height = 2,
                  .kernel_width = 3,
                  .dilation = 2,
                  .groups = 2},
        .sharing = Sharing::Input,
        .rows = 2,
        .columns = 2,
        .values = embedded}},
      {"depthwise",
       {.shape = {.in_channels = 3,
                  .height = 4,
                  .width = 5,
                  .out_channels = 3,
                  .kernel_height = 3,
                  .kernel_width = 3,
                  .padding = 1,
                  .groups = 3},
        .rows = 1,
        .columns = 1,
        .values = embedded}},
      {"one_pixel",
       {.shape = {.in_channels = 1,
                  .height = 1,
                  .width = 1,
                  .out_channels = 1,
                  .kernel_height = 3,
                  .kernel_width = 3,
                  .padding = 1},
        .rows = 1,
        .columns = 1,
        .values = embedded}},
  };
}

INSTANTIATE_TEST_SUITE_P(Matrix, Definition, ::testing::ValuesIn(shapes()), name_of);

// The same with several words a clock: lines and borders end within a beat.
std::vector<Shape> with_beats() {
  std::vector<Shape> all = shapes();
  std::int64_t beat = 1;
  for (Shape& s : all) s.request.beat = beat = beat == 16 ? 2 : beat * 2;
  return all;
}
INSTANTIATE_TEST_SUITE_P(Beats, Definition, ::testing::ValuesIn(with_beats()), name_of);

TEST(MatrixPlan, ChoosesRowsAndColumnsForABudget) {
  const MatrixPlan p = plan({.shape = {.in_channels = 64,
                                       .height = 8,
                                       .width = 8,
                                       .out_channels = 64,
                                       .kernel_height = 3,
                                       .kernel_width = 3,
                                       .padding = 1},
                             .slices = 288});
  EXPECT_LE(p.slices(), 288);
  EXPECT_GE(p.slices(), 256);
  EXPECT_TRUE(p.chain().lut_free());
  EXPECT_GT(p.peak(), 1.93);
  EXPECT_DOUBLE_EQ(p.sustained(), p.peak()) << "64 channels divide by everything";
}

// More slices make no layer of small groups faster: the plan says so exactly where that is the
// case.
TEST(MatrixPlan, SaysWhenMoreSlicesDoNothing) {
  for (const std::int64_t groups : {1, 2, 4, 8}) {
    const ConvShape shape{
        .in_channels = 8, .height = 4, .width = 4, .out_channels = 8, .groups = groups};
    for (const std::int64_t slices : {2, 4, 8, 64}) {
      const MatrixPlan few = plan({.shape = shape, .slices = slices}),
                       many = plan({.shape = shape, .slices = 16 * slices});
      const bool is_bound = few.cycles_a_frame() == many.cycles_a_frame();
      EXPECT_EQ(to_text(few).find("more `slices` do not make it faster") != std::string::npos,
                groups > 1 && is_bound)
          << groups << " groups, " << slices << " slices";
    }
  }
  const ConvShape depthwise{
      .in_channels = 8, .height = 4, .width = 4, .out_channels = 8, .groups = 8};
  EXPECT_THAT(to_text(plan({.shape = depthwise, .slices = 64})),
              HasSubstr("a layer of type dataflow has a depthwise machine"));
}

TEST(MatrixPlan, TailsCostWhatTheyCost) {
  const MatrixPlan p =
      plan({.shape = {.in_channels = 5, .width = 3, .out_channels = 3}, .rows = 4, .columns = 2});
  EXPECT_EQ(p.words, 2);
  EXPECT_EQ(p.tiles, 2);
  EXPECT_EQ(p.pixel_groups, 2);
  EXPECT_EQ(p.cycles_a_frame(), 8);
  EXPECT_EQ(p.shape.macs(), 45);
  EXPECT_LT(p.sustained(), p.peak());
}

TEST(MatrixPlan, RefusesWhatCannotBe) {
  const auto message = [](const MatrixRequest& r) {
    return test::refusal<DesignError>([&] { plan(r); });
  };
  EXPECT_EQ(message({.shape = {.in_channels = 3, .out_channels = 4, .groups = 2}}),
            "2 groups do not divide 3 input and 4 output channels");
  EXPECT_EQ(message({.shape = {.height = 2, .width = 2, .kernel_height = 3, .kernel_width = 3}}),
            "a kernel of 3x3 at dilation 1 is larger than the padded map of 2x2");
  EXPECT_THAT(message({.shape = {.in_channels = 64, .out_channels = 2}, .rows = 64, .slices = 8}),
              HasSubstr("8 slices do not hold a column"));
  EXPECT_THAT(
      message({.shape = {.in_channels = 16}, .scheme = packing::Scheme::Wp487Int8, .rows = 16}),
      HasSubstr("low lane after 16 terms"));
}

}  // namespace matrix_matrix_test
// Every embedded weight fits the word that is declared for it.
TEST(MatrixDefinition, WordsHaveTheBitsOfTheirWeights) {
  MatrixRequest request{.shape = {.in_channels = 3, .out_channels = 5}};
  request.values.assign(static_cast<std::size_t>(request.shape.weight_count()), -3);
  const MatrixPlan p = plan(request);
  const std::string text = reference(p).verilog;
  const std::int64_t bits = p.tile_channels() * p.weights.bits, words = p.tiles * p.words * p.rows;
  EXPECT_NE(text.find(fmt::format("wire [{}:0] weights [0:{}];", bits - 1, words - 1)),
            std::string::npos)
      << text;
}

}  // namespace kumiki::gen::matrix
