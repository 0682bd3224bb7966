// SPDX-License-Identifier: Apache-2.0
// Checks what plans of convolutions tell hosts: the netlists are driven exactly as told, and inputs
// that are said not to be looked at are random.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/flow/axi_stream/wrap.h"
#include "gen/layers/matrix/layer.h"
#include "tests/support/printed_plan.h"
#include "tests/support/random.h"
#include "tests/support/wired.h"

namespace kumiki::gen {
namespace matrix_host_test {

using ::testing::HasSubstr;

std::int64_t small(tests::Random& random) {
  return static_cast<std::int64_t>(random.below(256)) - 128;
}
std::uint64_t raw(std::int64_t value) { return static_cast<std::uint64_t>(value); }

struct Conv {
  explicit Conv(const matrix::MatrixRequest& request, bool streams = false)
      : plan(matrix::plan(request)), layer(made(request, streams)), wired(*layer), axi(streams) {
    json = tests::printed_plan(*layer);
    wired.set(reset_name(), streams ? 1 : 0);
    wired.set(name("out", "ready"), 1);
  }
  static std::shared_ptr<const Layer> made(const matrix::MatrixRequest& request, bool streams) {
    std::shared_ptr<const Layer> layer = matrix::make_layer(request);
    if (streams) axi_stream::wrap(layer, ir::Family::ultrascale_plus);
    return layer;
  }
  std::string reset_name() const { return axi ? "aresetn" : "rst"; }
  std::string name(const std::string& stream, const std::string& what) const {
    if (!axi) return stream + "_" + what;
    return (stream == "out" ? "m_axis_" : "s_axis_") + stream + "_t" + what;
  }
  // Element e of beat b of the weights, by the order that the plan states.
  std::uint64_t weight(std::int64_t beat, std::int64_t element,
                       const std::vector<std::int64_t>& w) const {
    const auto& s = plan.shape;
    const std::int64_t row = beat % plan.rows, block = beat / plan.rows % plan.blocks,
                       kx = beat / plan.rows / plan.blocks % s.kernel_width,
                       ky = beat / plan.rows / plan.blocks / s.kernel_width % s.kernel_height,
                       tile = beat / plan.rows / plan.words;
    const std::int64_t in = block * plan.rows + row, out = tile * plan.tile_channels() + element;
    if (in >= s.group_in()) return 0;
    if (out >= s.out_channels) return 55;
    return raw(w[static_cast<std::size_t>(s.weight_index(out, in, ky, kx))]);
  }
  // One clock: beats of weights and of frames are offered, results taken.
  void clock(const std::vector<std::int64_t>& w, const std::vector<std::int64_t>& frame,
             tests::Random& random) {
    const auto& s = plan.shape;
    const bool loads = weights_sent < plan.weight_beats() && random.chance(70);
    wired.set(name("w", "valid"), loads);
    for (std::int64_t e = 0; e < plan.tile_channels(); ++e)
      wired.set(name("w", "data"), weight(weights_sent, e, w), static_cast<std::size_t>(e), 8);
    const bool comes = random.chance(80);
    wired.set(name("in", "valid"), comes);
    wired.scramble(name("in", "data"), random);
    const std::int64_t a_line = plan.in_beats() / s.height, y = sent / a_line % s.height;
    for (std::int64_t e = 0; e < plan.beat * plan.rows; ++e) {
      const std::int64_t word = sent % a_line * plan.beat + e / plan.rows,
                         pixel = word / plan.blocks,
                         channel = word % plan.blocks * plan.rows + e % plan.rows;
      if (pixel < s.width && channel < s.in_channels)
        wired.set(name("in", "data"),
                  raw(frame[static_cast<std::size_t>((channel * s.height + y) * s.width + pixel)]),
                  static_cast<std::size_t>(e), 8);
    }
    wired.clock();
    weights_sent += loads && wired.get(name("w", "ready")) != 0 ? 1 : 0;
    sent += comes && wired.get(name("in", "ready")) != 0 ? 1 : 0;
  }
  // Results of a frame, beat by beat; what is wrong with them is said.
  void expect_frame(const std::vector<std::int64_t>& w, const std::vector<std::int64_t>& frame,
                    tests::Random& random) {
    const auto& s = plan.shape;
    for (std::int64_t beat = 0, clocks = 0; beat < plan.out_beats(); ++clocks) {
      ASSERT_LT(clocks, 5000);
      clock(w, frame, random);
      if (wired.get(name("out", "valid")) == 0) continue;
      ASSERT_EQ(weights_sent, plan.weight_beats()) << "results wait for the weights";
      EXPECT_EQ(wired.get(name("out", "last")), beat == plan.out_beats() - 1);
      const std::int64_t tile = beat % plan.tiles, group = beat / plan.tiles % plan.pixel_groups,
                         y = beat / plan.tiles / plan.pixel_groups;
      std::uint32_t low = 0;
      for (std::int64_t c = 0; c < plan.tile_channels(); ++c)
        for (std::int64_t x = 0; x < plan.pixels; ++x) {
          const auto bits = static_cast<std::uint32_t>(plan.result_format(c, x).bits);
          std::uint64_t got = 0;
          for (std::uint32_t i = 0; i < bits; ++i)
            got |= wired.get(name("out", "data"), low + i, 1) << i;
          low += bits;
          const std::int64_t out = tile * plan.tile_channels() + c;
          std::int64_t ox = group * plan.pixels + x;
          if (ox >= s.out_width()) ox = group * plan.pixels;
          if (out >= s.out_channels) continue;
          std::int64_t sum = 0;
          for (std::int64_t in = 0; in < s.in_channels; ++in)
            for (std::int64_t ky = 0; ky < s.kernel_height; ++ky)
              for (std::int64_t kx = 0; kx < s.kernel_width; ++kx) {
                const std::int64_t iy = y * s.stride.y + ky - s.padding.top,
                                   ix = ox * s.stride.x + kx - s.padding.left;
                if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;
                sum += frame[static_cast<std::size_t>((in * s.height + iy) * s.width + ix)] *
                       w[static_cast<std::size_t>(s.weight_index(out, in, ky, kx))];
              }
          ASSERT_EQ(got, raw(sum) & ((std::uint64_t{1} << bits) - 1))
              << "channel " << out << ", pixel " << y << ", " << ox;
        }
      ++beat;
    }
  }
  // A reset in which beats are offered on every stream, results are not taken.
  void reset(tests::Random& random) {
    wired.set(reset_name(), axi ? 0 : 1);
    wired.set(name("out", "ready"), 0);
    bool ready = false;
    for (int i = 0; i < 3; ++i) {
      for (const char* stream : {"in", "w"}) {
        wired.set(name(stream, "valid"), 1);
        wired.scramble(name(stream, "data"), random);
      }
      wired.clock();
      // Before the first edge it is what it was.
      ready = ready || (i > 0 && wired.get(name("in", "ready")) != 0);
      const std::uint64_t valid = wired.get(name("out", "valid"));
      EXPECT_TRUE(i == 0 || valid == 0);
    }
    EXPECT_EQ(ready, axi || !plan.shape.padding.any()) << "may be 1 during a reset";
    for (const char* stream : {"in", "w"}) wired.set(name(stream, "valid"), 0);
    wired.set(reset_name(), axi ? 1 : 0);
    wired.set(name("out", "ready"), 1);
    weights_sent = sent = 0;
  }

  matrix::MatrixPlan plan;
  std::shared_ptr<const Layer> layer;
  nlohmann::ordered_json json;
  test::Wired wired;
  bool axi;
  std::int64_t weights_sent = 0, sent = 0;
};

TEST(MatrixHost, OfConvolutions) {
  tests::Random random(14);
  // Blocks with a row too many, channels that do not fill a tile, a line that ends within a beat.
  const matrix::ConvShape shape{.in_channels = 3,
                                .height = 3,
                                .width = 5,
                                .out_channels = 3,
                                .kernel_height = 2,
                                .kernel_width = 3,
                                .padding = 1};
  const matrix::ConvShape pointwise{.in_channels = 3, .height = 2, .width = 5, .out_channels = 3};
  for (const auto& [s, beat, is_double, streams] : {std::tuple(shape, 1, false, false),
                                                    {shape, 4, false, false},
                                                    {shape, 2, false, true},
                                                    {shape, 1, true, false},
                                                    {shape, 4, true, true},
                                                    {pointwise, 1, false, false},
                                                    {pointwise, 4, false, false},
                                                    {pointwise, 2, true, false}}) {
    Conv conv({.shape = s, .rows = 2, .columns = 2, .beat = beat, .is_double = is_double}, streams);
    SCOPED_TRACE(conv.layer->plan_text());
    EXPECT_EQ(conv.json["weight_beats"], conv.plan.weight_beats());
    EXPECT_EQ(conv.json["in_beats_a_frame"], conv.plan.in_beats());
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<std::int64_t> w, frame;
      for (std::int64_t i = 0; i < s.weight_count(); ++i) w.push_back(small(random));
      for (std::int64_t i = 0; i < s.in_channels * s.height * s.width; ++i)
        frame.push_back(small(random));
      if (turn > 0) conv.reset(random);
      ASSERT_NO_FATAL_FAILURE(conv.expect_frame(w, frame, random));
      ASSERT_NO_FATAL_FAILURE(conv.expect_frame(w, frame, random));
      EXPECT_EQ(conv.wired.get(conv.name("w", "ready")), streams ? 1u : 0u)
          << "0 without a buffer in front of it: nothing more is taken before a reset";
      conv.clock(w, frame, random);
    }
  }
}

TEST(MatrixHost, ThePlanOfAConvolutionSaysThem) {
  matrix::MatrixRequest r{.shape = {.in_channels = 3, .height = 3, .width = 5, .out_channels = 3},
                          .rows = 2,
                          .columns = 2};
  std::shared_ptr<const Layer> layer = matrix::make_layer(r);
  for (const char* topic : {"in_data", "w_data", "padding of w_data", "w_ready", "out_data", "rst"})
    EXPECT_TRUE(tests::printed_plan(*layer)["host"].contains(topic)) << topic;
  axi_stream::wrap(layer, ir::Family::ultrascale_plus);
  EXPECT_EQ(tests::printed_plan(*layer)["host"]["tlast"],
            "m_axis_out_tlast; other streams have none, their words are counted");
  EXPECT_THAT(layer->plan_text(), HasSubstr("s_axis_in_tready, s_axis_w_tready may be 1"));
}

}  // namespace matrix_host_test
}  // namespace kumiki::gen
