// SPDX-License-Identifier: Apache-2.0
// Pipelines of filters in lockstep with their definitions: every kernel, border, window and number
// of pixels a beat, frames of every small size back to back, broken frames, stalls and resets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/sim/verilator/verilated_machine.h"
#include "gen/hdl/model.h"
#include "gen/layers/vision/build.h"
#include "gen/layers/vision/layer.h"
#include "gen/layers/vision/player.h"
#include "gen/layers/vision/stages.h"
#include "tests/support/cache.h"
#include "tests/support/network_rig.h"

namespace kumiki::gen::vision {
namespace vision_lockstep_test {

using test::NetworkRig;

Request request(std::vector<StageRequest> stages, int pixels = 2) {
  Request r;
  r.width = r.height = 20;
  r.pixels = pixels;
  r.stages = std::move(stages);
  return r;
}

StageRequest stage(StageKind kind, std::int64_t size = 3) {
  StageRequest s;
  s.kernel = kind;
  if (size != 3) s.size = size;
  return s;
}

std::vector<NamedLayer> layers(const std::vector<Request>& requests,
                               const packing::Limits& limits = {}) {
  std::vector<NamedLayer> all;
  for (const Request& r : requests)
    all.push_back(
        {fmt::format("v{}", all.size()), "vision", {}, make_layer(make_pipeline(r, limits))});
  return all;
}

// Enough came out to speak of: valid, ready and status are compared in every cycle, the other
// three ports only when there is something.
void expect_output(const backends::LockstepResult& result, std::size_t pipelines) {
  EXPECT_GT(result.comparisons, result.cycles * 3 * pipelines + result.cycles * pipelines / 4);
}

void run_native(const std::vector<Request>& requests, std::uint64_t cycles = 5000) {
  NetworkRig rig(layers(requests));
  EXPECT_TRUE(ir::check(rig.builder.design(), {.warnings = false}).empty());
  expect_output(rig.run_native(cycles), requests.size());
}

// Pictures through the netlist of one pipeline, as fast as they go, compared as whole pictures.
void expect_pictures(const Request& r, const std::vector<Raster>& pictures) {
  const Pipeline p = make_pipeline(r, {});
  NetworkRig rig(layers({r}));
  const auto in = input_shape(p);
  const auto out = output_shape(p);
  Player player(p, pictures);
  rig.options.resets = 0;
  rig.options.constrain = [&](std::uint64_t, ir::Frame& frame) {
    VideoIn<Values> values;
    unpack(in, frame, values);
    player.drive(values);
    pack(in, values, frame);
  };
  rig.options.cycles = 1'000'000;
  backends::Stimulus stimulus(rig.ports, rig.options);
  backends::NativeMachine machine(rig.builder.design());
  const auto model = network_model(rig.network);
  const auto result =
      backends::run_lockstep(*model, machine, stimulus,
                             {.cycles = rig.options.cycles, .watch = [&](const ir::Frame& frame) {
                                VideoOut<Values> values;
                                unpack(out, frame, values);
                                return player.watch(values);
                              }});
  ASSERT_TRUE(result.passed()) << backends::report(rig.builder.design(), result, "the netlist");
  ASSERT_EQ(player.results().size(), pictures.size());
  for (std::size_t i = 0; i < pictures.size(); ++i)
    EXPECT_EQ(player.results()[i], filtered(p, pictures[i]))
        << pictures[i].width << " x " << pictures[i].height;
}

Raster noise(std::int64_t width, std::int64_t height, const Request& r, std::uint64_t seed) {
  Raster picture{width, height, static_cast<std::size_t>(r.channels), {}};
  std::uint64_t state = seed * 2 + 1;
  for (std::int64_t i = 0; i < width * height * r.channels; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto raw = static_cast<std::int64_t>(state >> 33);
    picture.values.push_back(raw % (std::int64_t{1} << r.bits) -
                             (r.is_signed ? std::int64_t{1} << (r.bits - 1) : 0));
  }
  return picture;
}

std::vector<Raster> every_size_up_to(std::int64_t most, const Request& r) {
  std::vector<Raster> all;
  for (std::int64_t w = 1; w <= most; ++w)
    for (std::int64_t h = 1; h <= most; ++h)
      all.push_back(noise(w, h, r, static_cast<std::uint64_t>(w * 100 + h)));
  return all;
}

constexpr StageKind filters[] = {StageKind::box,      StageKind::gaussian,  StageKind::sharpen,
                                 StageKind::emboss,   StageKind::laplacian, StageKind::sobel_x,
                                 StageKind::sobel_y,  StageKind::sobel,     StageKind::scharr_x,
                                 StageKind::scharr_y, StageKind::scharr,    StageKind::median,
                                 StageKind::erode,    StageKind::dilate};

class EveryFilter : public testing::TestWithParam<int> {};

TEST_P(EveryFilter, FollowsItsDefinition) {
  for (const int pixels : {1, 2, 4}) {
    std::vector<Request> all;
    for (const Border border : {Border::replicate, Border::reflect, Border::constant}) {
      Request r = request({stage(filters[GetParam()])}, pixels);
      r.border = border;
      r.outside = 77;
      all.push_back(r);
    }
    run_native(all);
  }
}

TEST(VisionLockstep, EveryFilterOnThe7Series) {
  std::vector<Request> all;
  for (const StageKind kind : filters)
    all.push_back(request({stage(kind)}, 1 + std::ssize(all) % 2));
  NetworkRig rig(layers(all, packing::Limits::of(ir::Family::series7)), ir::Family::series7);
  EXPECT_TRUE(ir::check(rig.builder.design(), {.warnings = false}).empty());
  expect_output(rig.run_native(5000), all.size());
}

std::string filter_name(const testing::TestParamInfo<int>& info) {
  std::string name = stage_name(filters[info.param]);
  std::erase(name, '-');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Vision, EveryFilter,
                         testing::Range(0, static_cast<int>(std::size(filters))), filter_name);

class EveryWindow : public testing::TestWithParam<std::tuple<int, int, Border>> {};

// Kernels of every size that do not separate, and their own coefficients to the ends of 8 bits.
TEST_P(EveryWindow, SeesPicturesOfEverySize) {
  const auto [size, pixels, border] = GetParam();
  StageRequest s = stage(StageKind::convolve, size);
  s.coefficients.emplace(1);
  for (int i = 0; i < size * size; ++i)
    s.coefficients->front().push_back(i == 0 ? -128 : i == 1 ? 127 : (i * 37) % 23 - 11);
  Request r = request({s}, pixels);
  r.border = border;
  r.outside = 200;
  expect_pictures(r, every_size_up_to(size <= 5 ? size + 3 : 7, r));
}

std::string window_name(const testing::TestParamInfo<std::tuple<int, int, Border>>& info) {
  const auto [size, pixels, border] = info.param;
  const char* words[] = {"Replicate", "Reflect", "Constant"};
  return fmt::format("Size{}Pixels{}{}", size, pixels, words[static_cast<int>(border)]);
}
INSTANTIATE_TEST_SUITE_P(Vision, EveryWindow,
                         testing::Combine(testing::Values(3, 5, 7, 9, 11), testing::Values(1, 2, 4),
                                          testing::Values(Border::replicate, Border::reflect,
                                                          Border::constant)),
                         window_name);

TEST(VisionLockstep, MediansOfEverySizeInSlicesAndLuts) {
  for (const Style style : {Style::slices, Style::luts})
    for (const int size : {3, 5})
      for (const int pixels : {1, 2, 4}) {
        StageRequest s = stage(StageKind::median, size);
        s.style = style;
        const Request r = request({s}, pixels);
        expect_pictures(r, every_size_up_to(6, r));
      }
}

TEST(VisionLockstep, AnyRank) {
  for (const int rank : {1, 7}) {
    StageRequest s = stage(StageKind::rank);
    s.rank = rank;
    const Request r = request({s});
    expect_pictures(r, every_size_up_to(5, r));
  }
}

TEST(VisionLockstep, ColourAndWidePixels) {
  Request colour = request({stage(StageKind::gaussian), stage(StageKind::median)});
  colour.channels = 3;
  Request wide = request({stage(StageKind::sobel)}, 4);
  wide.bits = 10;
  Request signed_pixels = request({stage(StageKind::laplacian)}, 1);
  signed_pixels.is_signed = true;
  signed_pixels.outside = -5;
  signed_pixels.border = Border::constant;
  Request one_bit = request({stage(StageKind::erode, 5), stage(StageKind::dilate, 5)}, 4);
  one_bit.bits = 1;
  for (const Request& r : {colour, wide, signed_pixels, one_bit})
    expect_pictures(r, every_size_up_to(6, r));
  run_native({colour, wide, signed_pixels, one_bit});
}

TEST(VisionLockstep, KeepsThePixelInTheMiddle) {
  for (const int pixels : {1, 2, 4}) {
    StageRequest blur = stage(StageKind::gaussian, 5);
    blur.keep = true;
    const Request r = request({blur, stage(StageKind::abs_diff)}, pixels);
    expect_pictures(r, every_size_up_to(7, r));
  }
}

TEST(VisionLockstep, APipelineOfFilters) {
  StageRequest threshold = stage(StageKind::threshold);
  threshold.value = 60;
  for (const int pixels : {1, 2, 4}) {
    const Request r = request({stage(StageKind::gaussian), stage(StageKind::sobel),
                               stage(StageKind::magnitude), threshold, stage(StageKind::median)},
                              pixels);
    expect_pictures(r, every_size_up_to(6, r));
    run_native({r}, 8000);
  }
}

TEST(VisionLockstep, HalfThePicture) {
  for (const int pixels : {1, 2, 4})
    for (const Halving by : {Halving::mean, Halving::gaussian, Halving::nearest}) {
      StageRequest half = stage(StageKind::half);
      half.by = by;
      const Request once = request({half}, pixels),
                    pyramid = request({half, stage(StageKind::median), half}, pixels);
      expect_pictures(once, every_size_up_to(9, once));
      expect_pictures(pyramid, every_size_up_to(9, pyramid));
      run_native({once, pyramid});
    }
}

TEST(VisionLockstep, CoefficientsAreLoaded) {
  std::vector<Request> all;
  for (const int pixels : {1, 2, 4}) {
    StageRequest s = stage(StageKind::convolve);
    s.loadable = true;
    s.coefficients = {{-128, 127, 1, 2, 3, 4, 5, 6, 7}};
    all.push_back(request({s}, pixels));
    all.push_back(request({s, stage(StageKind::gaussian), s}, pixels));
  }
  run_native(all, 12000);
}

// Those of the narrower stage are the low bits of the port.
TEST(VisionLockstep, LoadedCoefficientsOfSeveralWidths) {
  StageRequest narrow = stage(StageKind::convolve), wide = narrow;
  narrow.loadable = wide.loadable = true;
  narrow.coefficients = wide.coefficients = {{0, 1, 2, 3, -4, 1, 0, -1, 2}};
  narrow.coefficient_bits = 3;
  wide.coefficient_bits = 6;
  narrow.bits = wide.bits = 8;
  run_native({request({narrow, wide}), request({wide, narrow})}, 12000);
}

TEST(VisionLockstep, PixelsAloneWithoutAWindow) {
  std::vector<Request> all;
  for (const int pixels : {1, 2, 4}) {
    Request two = request({stage(StageKind::abs_diff), stage(StageKind::threshold)}, pixels);
    two.channels = 2;
    all.push_back(two);
    all.push_back(request({stage(StageKind::not_)}, pixels));
  }
  run_native(all);
}

// A lane alone leaves half of its slices idle, and sums of positive coefficients are never
// negative: no module has ports for that.
TEST(VisionNetlist, HasNothingThatNobodyReads) {
  using K = StageKind;
  const std::vector<std::pair<K, std::int64_t>> kernels{
      {K::box, 3},      {K::box, 5},     {K::box, 7},    {K::gaussian, 3},  {K::gaussian, 5},
      {K::gaussian, 7}, {K::sharpen, 3}, {K::emboss, 3}, {K::laplacian, 3}, {K::laplacian, 5},
      {K::sobel_x, 3},  {K::sobel_y, 5}, {K::sobel, 3},  {K::sobel, 5},     {K::scharr, 3},
      {K::median, 3},   {K::erode, 5}};
  for (const int pixels : {1, 2})
    for (const auto& [kind, size] : kernels) {
      NetworkRig rig(layers({request({stage(kind, size)}, pixels)}));
      for (const auto& finding : ir::check(rig.builder.design()))
        ADD_FAILURE() << static_cast<int>(kind) << ", " << size << ": " << to_string(finding);
    }
}

// Ten lines of 512 bits are wider than a memory may be.
TEST(VisionLockstep, LinesWiderThanAMemory) {
  Request r = request({stage(StageKind::erode, 11)}, 4);
  r.channels = 8;
  r.bits = 16;
  run_native({r}, 300);
}

TEST(VisionLockstep, FullSizeFrames) {
  Request r = request({stage(StageKind::gaussian), stage(StageKind::sobel)});
  r.width = 300;
  r.height = 9;
  expect_pictures(r, {noise(300, 9, r, 1), noise(299, 4, r, 2), noise(1, 9, r, 3),
                      noise(300, 1, r, 4), noise(130, 9, r, 5)});
}

TEST(VisionLockstep, InVerilatorToo) {
  StageRequest loaded = stage(StageKind::convolve);
  loaded.loadable = true;
  loaded.coefficients = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  StageRequest luts = stage(StageKind::median);
  luts.style = Style::luts;
  Request long_lines = request({stage(StageKind::gaussian, 5)});
  long_lines.width = 300;
  const std::vector<Request> all{
      request({stage(StageKind::gaussian), stage(StageKind::sobel), stage(StageKind::magnitude)}),
      request({stage(StageKind::median)}, 4), request({luts}, 1), request({loaded}, 2), long_lines};
  NetworkRig rig(layers(all));
  backends::VerilatedMachine machine(rig.builder.design(),
                                     {.cache = backends::Cache(test::shared_cache)});
  expect_output(rig.run(machine, 6000), all.size());
}

}  // namespace vision_lockstep_test
}  // namespace kumiki::gen::vision
