// SPDX-License-Identifier: Apache-2.0
// The published table to its last digit, the formulas against the loops that they count.
#include "gen/layers/array/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "gen/layers/array/request.h"
#include "ir/error.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::array {
namespace array_cost_test {

using ::testing::HasSubstr;

Request example(const std::string& file) {
  const auto document =
      config::read_document(std::string(KUMIKI_TEST_DIR) + "/../examples/" + file, cost_registry());
  return document.layers.at(0).as<Request>();
}

// arrays.md, section "Cost model": cycles and Gbit/s as printed.
TEST(ArrayCost, ThePublishedTable) {
  const Request r = example("alexnet-paper.json");
  const Array array = array_of(r);
  const NetworkCost all = cost(array, shapes_of(r));
  const std::pair<std::int64_t, const char*> published[] = {
      {313'632, "11.4"}, {2'764'800, "11.4"}, {884'736, "43.5"},  {663'552, "43.5"},
      {442'368, "20.9"}, {735'488, "1004.0"}, {69'632, "1004.0"}, {16'384, "1004.0"}};
  ASSERT_EQ(all.layers.size(), std::size(published));
  for (std::size_t i = 0; i < all.layers.size(); ++i) {
    EXPECT_EQ(all.layers[i].cycles, published[i].first) << r.network[i].name;
    EXPECT_EQ(fmt::format("{:.1f}", all.layers[i].in.gbps(array)), published[i].second)
        << r.network[i].name;
  }
  EXPECT_EQ(all.cycles, 5'890'592);
  EXPECT_EQ(fmt::format("{:.2f}", all.ms(array)), "29.45");
  EXPECT_EQ(fmt::format("{:.2f}", all.frames_per_second(array)), "33.95");
}

// The table's shapes as the paper writes them, channels of a group and no groups.
TEST(ArrayCost, ThePapersOwnWayToWriteGroups) {
  const Array paper{};
  EXPECT_EQ(cost(paper, ConvShape{.in_channels = 48,
                                  .height = 55,
                                  .width = 55,
                                  .out_channels = 256,
                                  .kernel = 5,
                                  .padding_before = 2,
                                  .padding_after = 2})
                .cycles,
            2'764'800);
}

TEST(ArrayCost, BatchOf4BesideEyeriss) {
  const Request r = example("alexnet-paper.json");
  Array array = array_of(r);
  array.batch = r.compare->at(0).batch;
  const NetworkCost all = cost(array, shapes_of(r));
  const char* published[] = {"6.3", "55.3", "17.7", "13.3", "8.8"};
  double ours = 0, theirs = 0;
  for (std::size_t i = 0; i < std::size(published); ++i) {
    EXPECT_EQ(fmt::format("{:.1f}", all.layers[i].ms(array)), published[i]);
    ours += all.layers[i].ms(array);
    theirs += r.compare->at(0).ms.at(i);
  }
  EXPECT_EQ(fmt::format("{:.1f}", ours), "101.4");
  EXPECT_EQ(fmt::format("{:.1f}", theirs), "115.3");
}

TEST(ArrayCost, BothSweepsGrowInProportionAtFlatBandwidth) {
  const Request r = example("alexnet-paper.json");
  const Array array = array_of(r);
  ASSERT_EQ(r.sweeps->size(), 2u);
  const auto channels = points(array, r.sweeps->at(0));
  ASSERT_EQ(channels.size(), 32u);
  for (const Point& p : channels) {
    EXPECT_EQ(p.cost.cycles * channels[0].value, channels[0].cost.cycles * p.value);
    EXPECT_EQ(p.cost.in.words * channels[0].cost.in.cycles,
              channels[0].cost.in.words * p.cost.in.cycles);
  }
  // 25 blocks of 27 x 27: ceil(128 / 27)^2.
  EXPECT_EQ(channels.back().cost.cycles, 9 * 256 * 1024 * 25);
  // Over the size of the map time grows with the number of blocks, bandwidth stays below its value
  // for whole blocks.
  for (const Point& p : points(array, r.sweeps->at(1))) {
    const std::int64_t blocks = (p.value + 26) / 27;
    EXPECT_EQ(p.cost.cycles, 9 * 256 * 384 * blocks * blocks);
    EXPECT_LE(p.cost.in.gbps(array), 43.5);
    if (p.value % 27 == 0) {
      EXPECT_DOUBLE_EQ(p.cost.in.gbps(array), 43.5);
    }
  }
}

// The largest of equal parts of a side, whatever the distance between them.
std::int64_t largest_part(std::int64_t side, std::int64_t parts, bool pairs) {
  std::int64_t best = 0;
  for (std::int64_t offset = 1; offset <= side; ++offset)
    if (!pairs || offset % 2 == 0)
      best = std::max(best, std::min(offset, side - (parts - 1) * offset));
  return parts == 1 ? side : best;
}

// The loops themselves, in the paper's order, counting a cycle at the innermost and marking the
// outputs that it works on.
struct Counted {
  std::int64_t cycles = 0, useful = 0, input_words = 0;
};
Counted run(const Array& a, const ConvShape& s, std::int64_t down, std::int64_t across) {
  Counted n;
  const bool pairs = a.bits <= 8;
  const std::int64_t rows = largest_part(a.rows, down, pairs && a.columns % 2 != 0);
  const std::int64_t columns = largest_part(a.columns, across, pairs), cut = down * across;
  for (std::int64_t g = 0; g < s.groups; ++g)
    for (std::int64_t y = 0; y < s.out_height(); y += rows)
      for (std::int64_t x = 0; x < s.out_width(); x += columns)
        for (std::int64_t c = 0; c < s.group_out(); c += a.accumulators * cut)
          for (std::int64_t i = 0; i < s.group_in(); ++i) {
            // The first block of a strip brings its rows; the others find them in the buffers.
            if (x == 0) n.input_words += (rows + 2 * (s.kernel / 2)) * s.width;
            for (std::int64_t k = 0; k < s.kernel * s.kernel; ++k)
              for (std::int64_t t = 0; t < a.accumulators; ++t) {
                ++n.cycles;
                for (std::int64_t part = 0; part < cut; ++part)
                  if (c + part * a.accumulators + t < s.group_out())
                    n.useful +=
                        std::min(rows, s.out_height() - y) * std::min(columns, s.out_width() - x);
              }
          }
  return n;
}

ConvShape any_shape() {
  const auto number = [](std::int64_t low, std::int64_t high) {
    return *rc::gen::inRange<std::int64_t>(low, high + 1);
  };
  ConvShape s{.height = number(1, 20),
              .width = number(1, 20),
              .kernel = number(1, 5),
              .stride = number(1, 4),
              .dilation = number(1, 2),
              .groups = number(1, 3)};
  s.in_channels = s.groups * number(1, 4);
  s.out_channels = s.groups * number(1, 20);
  s.padding_before = number(0, 4);
  s.padding_after = number(0, 4);
  RC_PRE(s.out_height() >= 1 && s.out_width() >= 1);
  return s;
}

RC_GTEST_PROP(ArrayCost, TheFormulaCountsTheLoops, ()) {
  const ConvShape s = any_shape();
  const Array a{.rows = *rc::gen::inRange<std::int64_t>(1, 10),
                .columns = *rc::gen::inRange<std::int64_t>(1, 10),
                .accumulators = *rc::gen::inRange<std::int64_t>(1, 10),
                .batch = *rc::gen::inRange<std::int64_t>(1, 4)};
  const Cost c = cost(a, s);
  const Counted n = run(a, s, 1, 1);
  RC_ASSERT(c.cycles == a.batch * n.cycles);
  RC_ASSERT(c.macs == a.batch * n.useful);
  RC_ASSERT(c.input_words == a.batch * n.input_words);
  // Rates times cycles are words.
  RC_ASSERT(c.in.words * c.cycles == c.input_words * c.in.cycles);
  RC_ASSERT(c.out.words * c.cycles == c.output_words * c.out.cycles);
  RC_ASSERT(c.sub_blocks == 1);
}

TEST(ArrayCost, CutsAreTheLargestThereAre) {
  for (std::int64_t side = 1; side <= 40; ++side)
    for (std::int64_t parts = 1; parts <= 5; ++parts)
      for (const bool pairs : {false, true}) {
        const Cut c = cut(side, parts, pairs);
        EXPECT_EQ(c.size, largest_part(side, parts, pairs)) << side << " " << parts << " " << pairs;
        if (parts == 1 || c.size == 0) continue;
        EXPECT_GE(c.offset, c.size);
        EXPECT_LE((parts - 1) * c.offset + c.size, side);
        EXPECT_TRUE(!pairs || c.offset % 2 == 0);
      }
}

RC_GTEST_PROP(ArrayCost, SubBlocksDoTheSameWorkInFewerCycles, ()) {
  const ConvShape s = any_shape();
  Array a{.rows = *rc::gen::inRange<std::int64_t>(1, 24),
          .columns = *rc::gen::inRange<std::int64_t>(1, 24),
          .accumulators = *rc::gen::inRange<std::int64_t>(1, 6)};
  a.bits = *rc::gen::element<std::int64_t>(8, 12);
  const Cost plain = cost(a, s);
  a.split = *rc::gen::inRange<std::int64_t>(2, 5);
  const Cost c = cost(a, s);
  const bool pairs = a.bits <= 8;
  std::int64_t down = 1, across = 1;  // the most parts
  for (std::int64_t n = 2; n <= a.split; ++n) {
    if (largest_part(a.rows, n, pairs && a.columns % 2 != 0) >= s.out_height()) down = n;
    if (largest_part(a.columns, n, pairs) >= s.out_width()) across = n;
  }
  const std::int64_t channels = s.out_channels / s.groups;
  auto turns = [&](std::int64_t parts) {
    return (channels + a.accumulators * parts - 1) / (a.accumulators * parts);
  };
  RC_ASSERT(turns(c.sub_blocks) == turns(down * across));
  const SubBlocks cuts = sub_blocks(a, s);
  RC_ASSERT(cuts.down.parts <= down && cuts.across.parts <= across);
  const Counted n = run(a, s, cuts.down.parts, cuts.across.parts);
  RC_ASSERT(c.cycles == n.cycles);
  RC_ASSERT(c.macs == n.useful);
  RC_ASSERT(c.input_words == n.input_words);
  RC_ASSERT(c.cycles <= plain.cycles);
  RC_ASSERT(c.input_words <= plain.input_words);
}

TEST(ArrayCost, LayerFiveCostsAQuarterInSubBlocks) {
  const Request r = example("alexnet-paper.json");
  Array array = array_of(r);
  array.split = 2;
  const NetworkCost all = cost(array, shapes_of(r));
  EXPECT_EQ(all.layers[4].cycles, 442'368 / 4);
  EXPECT_EQ(all.layers[4].sub_blocks, 4);
  EXPECT_EQ(all.layers[2].cycles, 884'736);  // 27 x 27 fills the array
}

// Rows and columns of the array have roles of their own.
TEST(ArrayCost, AnArrayNeedNotBeSquare) {
  const ConvShape s{.in_channels = 2,
                    .height = 20,
                    .width = 30,
                    .out_channels = 8,
                    .kernel = 3,
                    .padding_before = 1,
                    .padding_after = 1};
  const Array wide{.rows = 4, .columns = 10, .accumulators = 4};
  const Cost c = cost(wide, s);
  EXPECT_EQ(c.cycles, 9 * 2 * 4 * 2 * 5 * 3);
  EXPECT_EQ(c.in.words, (4 + 2) * 30);
  EXPECT_EQ(c.in.cycles, 9 * 4 * 3);
  EXPECT_EQ(c.out.words, 40);
  const Array tall{.rows = 10, .columns = 4, .accumulators = 4};
  EXPECT_EQ(cost(tall, s).cycles, 9 * 2 * 4 * 2 * 2 * 8);
  EXPECT_EQ(cost(tall, s).in.words, (10 + 2) * 30);
}

TEST(ArrayCost, StripsNeedMoreRowsAtAStride) {
  ConvShape s{.in_channels = 3,
              .height = 224,
              .width = 224,
              .out_channels = 96,
              .kernel = 11,
              .stride = 4,
              .padding_before = 1,
              .padding_after = 2};
  const Cost strided = cost(Array{}, s);
  EXPECT_EQ(strided.input_words, 895'104);
  EXPECT_EQ(strided.fetched_words, (26 * 4 + 11) * 224 * 3 * 12 * 3);
  for (const std::int64_t kernel : {1, 3, 5, 7, 9, 11}) {
    const Cost c = cost(Array{}, ConvShape{.height = 40, .width = 40, .kernel = kernel});
    EXPECT_EQ(c.fetched_words, c.input_words) << kernel;
  }
}

TEST(ArrayCost, FullyConnected) {
  const Array plain{.rows = 4, .columns = 6, .batch = 5};
  const Cost c = cost(plain, FcShape{.inputs = 100, .outputs = 50});
  EXPECT_EQ(c.cycles, 5 * 100 * 3);  // 24 elements: three turns
  EXPECT_EQ(c.in.words, 25);
  EXPECT_EQ(c.macs, 5 * 5000);
  EXPECT_EQ(c.input_words, c.cycles * 25);
  EXPECT_EQ(c.output_words, 5 * 3 * 24);
  Array batched = plain;
  batched.batched_fc = true;
  batched.batch = 7;
  const Cost b = cost(batched, FcShape{.inputs = 100, .outputs = 50});
  EXPECT_EQ(b.cycles, 100 * 13 * 2);  // 4 outputs and 6 images at a time
  EXPECT_EQ(b.in.words, 10);
  EXPECT_EQ(b.macs, 7 * 5000);
  EXPECT_EQ(b.output_words, 13 * 2 * 24);
  Array some = plain;
  some.fc_elements = 10;
  EXPECT_EQ(cost(some, FcShape{.inputs = 1, .outputs = 50}).cycles, 5 * 5);
}

TEST(ArrayCost, TwoElementsShareASliceUpTo8Bits) {
  EXPECT_EQ((Array{.rows = 27, .columns = 27, .bits = 8}).slices(), 365);
  EXPECT_EQ((Array{.rows = 27, .columns = 27, .bits = 9}).slices(), 729);
  EXPECT_EQ((Array{.rows = 2, .columns = 8, .bits = 4}).slices(), 8);
}

// Multiplications of these networks as everybody counts them.
TEST(ArrayCost, TheExamplesHaveTheShapesOfTheirNetworks) {
  auto macs = [](const char* file) {
    const Request r = example(file);
    return cost(array_of(r), shapes_of(r));
  };
  EXPECT_EQ(macs("alexnet.json").conv_macs, 665'784'864);
  EXPECT_EQ(macs("alexnet.json").macs, 665'784'864 + 58'621'952);
  EXPECT_EQ(macs("vgg16.json").macs, 15'470'264'320);
  EXPECT_EQ(macs("lenet5.json").macs, 416'520);
  EXPECT_EQ(macs("resnet18-convs.json").macs, 1'813'561'344);
  EXPECT_EQ(macs("resnet18-convs.json").layers.size(), 20u);
}

TEST(ArrayCost, SustainedWorkOfASliceIsAboveChaidnn) {
  const Request r = example("alexnet.json");
  EXPECT_GT(cost(array_of(r), shapes_of(r)).conv_macs_per_slice(array_of(r)), 0.51);
}

std::string refusal(const Array& array, const ConvShape& shape) {
  return kumiki::test::refusal<DesignError>([&] { cost(array, shape); });
}

TEST(ArrayCost, ImpossibleShapesAreRefused) {
  EXPECT_THAT(refusal({.rows = 0}, {}), HasSubstr("rows of the array is 0; it must be 1 or more"));
  EXPECT_THAT(refusal({.accumulators = 0}, {}), HasSubstr("accumulators is 0"));
  EXPECT_THAT(refusal({.fc_elements = 730}, {}), HasSubstr("fc_elements is 730"));
  EXPECT_THAT(refusal({}, {.kernel = 3}), HasSubstr("the span of the kernel is 3"));
  EXPECT_THAT(refusal({}, {.in_channels = 3, .out_channels = 4, .groups = 2}),
              HasSubstr("groups is 2; it must be a divisor of both channel counts"));
  EXPECT_THAT(refusal({.rows = 1, .columns = 1, .batch = 65536}, {.in_channels = 65536,
                                                                  .height = 65536,
                                                                  .width = 65536,
                                                                  .out_channels = 65536,
                                                                  .kernel = 11}),
              HasSubstr("2^63"));
}

}  // namespace array_cost_test
}  // namespace kumiki::gen::array
