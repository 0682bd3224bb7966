// SPDX-License-Identifier: Apache-2.0
// The same as decode_test.cpp for layers whose words make frames.
#include <gmock/gmock.h>

#include <algorithm>

#include "gen/flow/axi_stream/wrap.h"
#include "gen/hdl/model.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/player.h"
#include "gen/layers/array/setup.h"
#include "tests/gen/layer/beats/recording.h"

namespace kumiki::gen::beats::test {
namespace beats_decode_streams_test {

using Int = std::int64_t;

struct Shape {
  Int in, height, width, out, kernel, stride = 1, padding = 0, groups = 1;
  Int rows_out() const { return (height + 2 * padding - kernel) / stride + 1; }
  Int columns_out() const { return (width + 2 * padding - kernel) / stride + 1; }
};

// sum[channel][y][x] of pixel[channel][y][x] and weight[out][in of its group][ky][kx].
Set convolved(const Shape& s, const Set& pixel, const Set& weight) {
  Set sums;
  for (Int o = 0; o < s.out; ++o)
    for (Int y = 0; y < s.rows_out(); ++y)
      for (Int x = 0; x < s.columns_out(); ++x) {
        Int sum = 0;
        for (Int i = 0; i < s.in / s.groups; ++i)
          for (Int ky = 0; ky < s.kernel; ++ky)
            for (Int kx = 0; kx < s.kernel; ++kx) {
              const Int row = y * s.stride + ky - s.padding, column = x * s.stride + kx - s.padding;
              if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
              const Int channel = o / (s.out / s.groups) * (s.in / s.groups) + i;
              sum += pixel.at({channel, row, column}) * weight.at({o, i, ky, kx});
            }
        sums[{o, y, x}] = sum;
      }
  return sums;
}

void expect_frames(const std::string& json, const Shape& s, std::size_t clocks, bool axi) {
  SCOPED_TRACE(json);
  const auto layer = layer_of(json, axi);
  // Where there is no such input channel its weights are 0: rows that are padding.
  const std::string w = axi ? "s_axis_w_tdata" : "w_data";
  const auto beats = layer->beats();
  const auto beat = std::ranges::find(beats, w, &Beat::port);
  ASSERT_NE(beat, beats.end());
  Int word = 0;
  const auto r = record(
      *layer, clocks,
      [&](const ir::PortLayout& ports, ir::Frame& in) {
        const auto slot = std::ranges::find(ports.inputs, w, &ir::PortSlot::name);
        for (Int e = 0; e < beat->element_count(); ++e)
          if (!coordinates(*beat, word % beat->word_count(), e))
            for (std::uint32_t i = 0; i < beat->width_of(e); ++i) {
              const auto at = beat->low_of(e) + i;
              in[slot->limb + at / 64] &= ~(std::uint64_t{1} << at % 64);
            }
      },
      [&](const ir::PortLayout& ports, const ir::Frame& in, const ir::Frame& out) {
        word +=
            is_one(ports.inputs, in, beat->when[0]) && is_one(ports.outputs, out, beat->when[1]);
      });
  const auto weights = decoded(r, w), pixels = decoded(r, axi ? "s_axis_in_tdata" : "in_data"),
             sums = decoded(r, axi ? "m_axis_out_tdata" : "out_data");
  ASSERT_EQ(weights.size(), 1u);
  ASSERT_GE(sums.size(), 2u);
  for (std::size_t i = 0; i < sums.size(); ++i)
    ASSERT_EQ(sums[i], convolved(s, pixels[i], weights[0])) << "frame " << i;
}

constexpr const char* loaded = R"(, "weights_from": "port")";

TEST(Beats, Convolutions) {
  for (const bool axi : {false, true})
    expect_frames(std::string(R"({"type": "conv2d", "in_channels": 5, "height": 4, "width": 5,
        "out_channels": 7, "kernel": [3, 3], "padding": 1, "rows": 2, "columns": 2)") +
                      loaded + "}",
                  {.in = 5, .height = 4, .width = 5, .out = 7, .kernel = 3, .padding = 1}, 6000,
                  axi);
  // Groups, a stride, output channels packed in a slice, lanes of different widths.
  expect_frames(std::string(R"({"type": "conv2d", "in_channels": 4, "height": 5, "width": 6,
      "out_channels": 6, "kernel": [2, 2], "stride": 2, "groups": 2, "rows": 2, "columns": 1,
      "sharing": "input")") +
                    loaded + "}",
                {.in = 4, .height = 5, .width = 6, .out = 6, .kernel = 2, .stride = 2, .groups = 2},
                3000, false);
}

TEST(Beats, MatrixProducts) {
  // W is m x k, X is k x n.
  expect_frames(
      std::string(R"({"type": "matmul", "m": 5, "k": 6, "n": 3, "rows": 4, "columns": 1)") +
          loaded + "}",
      {.in = 6, .height = 1, .width = 3, .out = 5, .kernel = 1}, 1500, false);
  expect_frames(
      std::string(R"({"type": "matvec", "outputs": 5, "inputs": 6, "rows": 3, "columns": 2)") +
          loaded + "}",
      {.in = 6, .height = 1, .width = 1, .out = 5, .kernel = 1}, 1500, false);
}

// Several words of the frame in a beat: pixels side by side, the line ending within one; blocks of
// a pixel side by side.
TEST(Beats, SeveralWordsAClock) {
  expect_frames(std::string(R"({"type": "conv2d", "in_channels": 3, "height": 3, "width": 5,
      "out_channels": 4, "kernel": [1, 1], "rows": 3, "columns": 1, "words_a_clock": 2)") +
                    loaded + "}",
                {.in = 3, .height = 3, .width = 5, .out = 4, .kernel = 1}, 1500, false);
  expect_frames(std::string(R"({"type": "conv2d", "in_channels": 7, "height": 3, "width": 3,
      "out_channels": 4, "kernel": [1, 1], "rows": 2, "columns": 1, "words_a_clock": 2)") +
                    loaded + "}",
                {.in = 7, .height = 3, .width = 3, .out = 4, .kernel = 1}, 1500, false);
}

// Whole frames of a size, as long as the layer takes them.
struct Camera {
  Int width, height, pixels;
  Int x = 0, y = 0;
  bool held = false;

  void drive(const ir::PortLayout& ports, ir::Frame& in) {
    put(ports, in, "width", static_cast<std::uint64_t>(width));
    put(ports, in, "height", static_cast<std::uint64_t>(height));
    put(ports, in, "clear_status", 0);
    put(ports, in, "s_axis_tuser", x == 0 && y == 0);
    put(ports, in, "s_axis_tlast", x + pixels >= width);
  }
  void watch(const ir::PortLayout& ports, const ir::Frame& in, const ir::Frame& out) {
    if (!is_one(ports.inputs, in, "s_axis_tvalid") || !is_one(ports.outputs, out, "s_axis_tready"))
      return;
    x += pixels;
    if (x < width) return;
    x = 0;
    y = (y + 1) % height;
  }
};

// pixel[y][x][channel] in, the same out.
void expect_video(const std::string& json, Camera camera,
                  const std::function<Set(const Set& in, const std::vector<Set>& loaded)>& filter) {
  SCOPED_TRACE(json);
  const auto layer = layer_of(json);
  const auto r = record(
      *layer, 1500, [&](const ir::PortLayout& ports, ir::Frame& in) { camera.drive(ports, in); },
      [&](const ir::PortLayout& ports, const ir::Frame& in, const ir::Frame& out) {
        camera.watch(ports, in, out);
      });
  const GivenCounts given{{"width", camera.width}, {"height", camera.height}};
  const auto in = decoded(r, "s_axis_tdata", {}, given),
             out = decoded(r, "m_axis_tdata", {}, given);
  ASSERT_GE(out.size(), 3u);
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], filter(in[i], {})) << "frame " << i;
  for (std::size_t c = 0; c < r.in.size(); ++c) ASSERT_EQ(r.at(c, "status", 0, {5, false}), 0);
}

Set eroded(const Set& in, const Camera& c, Int channels) {
  Set out;
  for (Int y = 0; y < c.height; ++y)
    for (Int x = 0; x < c.width; ++x)
      for (Int k = 0; k < channels; ++k) {
        Int least = 255;
        for (Int v = std::max<Int>(y - 1, 0); v <= std::min(y + 1, c.height - 1); ++v)
          for (Int u = std::max<Int>(x - 1, 0); u <= std::min(x + 1, c.width - 1); ++u)
            least = std::min(least, in.at({v, u, k}));
        out[{y, x, k}] = least;
      }
  return out;
}

TEST(Beats, Video) {
  const Camera camera{.width = 7, .height = 4, .pixels = 2};
  const std::string layer =
      R"({"type": "vision", "width": 12, "height": 6, "pixels": 2, "channels": 3, "stages": [{"kernel": "erode"})";
  expect_video(layer + "]}", camera, [&](const Set& in, auto&) { return eroded(in, camera, 3); });
  // Half the size, rounded up.
  expect_video(layer + R"(, {"kernel": "half", "by": "nearest"}]})", camera,
               [&](const Set& in, auto&) {
                 Set out;
                 for (const auto& [at, v] : eroded(in, camera, 3))
                   if (at[0] % 2 == 0 && at[1] % 2 == 0) out[{at[0] / 2, at[1] / 2, at[2]}] = v;
                 return out;
               });
}

// An array's host plays one fully connected layer; its streams say what it multiplied.
TEST(Beats, Array) {
  const auto layer = layer_of(R"({"type": "pe_array", "rows": 2, "columns": 3, "accumulators": 2,
      "bits": 8, "output_words": 2, "weights_from": "random", "network": [{"type": "fc", "name": "fc", "inputs": 9, "outputs": 8}]})");
  const auto& program = *array::program_of(*layer);
  array::Player player(program, array::inputs_of(program, 3));
  const auto in_shape = array::input_shape(program.plan);
  const auto out_shape = array::output_shape(program.plan);
  Recording r{{}, {}, {}, layer->beats()};
  Builder builder;
  r.ports = ir::layout(layer->build(builder, {}));
  const auto model = layer->model();
  model->power_up();
  for (bool more = true; more;) {
    array::ArrayIn<Values> in;
    unpack(in_shape, ir::Frame(r.ports.input_limbs), in);
    player.drive(in);
    ir::Frame sent(r.ports.input_limbs), got;
    pack(in_shape, in, sent);
    model->step(sent, got);
    array::ArrayOut<Values> out;
    unpack(out_shape, got, out);
    more = player.watch(out);
    r.in.push_back(std::move(sent));
    r.out.push_back(std::move(got));
  }
  // In each block of outputs: the inputs one after the other, a weight for each output beside them;
  // then parameters and results, two a word.
  const auto weights = decoded(r, "s_axis_ind_tdata"), inputs = decoded(r, "s_axis_com_tdata"),
             parameters = decoded(r, "s_axis_par_tdata"), results = decoded(r, "m_axis_out_tdata"),
             kept = decoded(r, "m_axis_out_tkeep");
  const Int elements = program.layers[0].layout.elements, columns = program.plan.columns();
  ASSERT_EQ(weights.size(), static_cast<std::size_t>(9 * ((8 + elements - 1) / elements)));
  std::size_t word = 0;
  Int seen = 0;
  for (Int first = 0; first < 8; first += elements)
    for (Int row = first; row < std::min<Int>(first + elements, 8); row += columns)
      for (Int c = 0; c < std::min(columns, std::min<Int>(first + elements, 8) - row);
           c += 2, ++word)
        for (Int lane = 0; lane < 2; ++lane) {
          const bool is = c + lane < std::min(columns, std::min<Int>(first + elements, 8) - row);
          ASSERT_EQ(kept[word].at({lane}), is);
          if (!is) continue;
          const Int output = row + c + lane;
          Int sum = parameters[word].at({lane, 0});
          for (Int i = 0; i < 9; ++i)
            sum +=
                weights[static_cast<std::size_t>(first / elements * 9 + i)].at({output - first}) *
                inputs[static_cast<std::size_t>(i)].at({0});
          const Int shifted =
              sum * parameters[word].at({lane, 1}) >> parameters[word].at({lane, 2});
          ASSERT_EQ(results[word].at({lane}), std::clamp<Int>((shifted + 1) >> 1, -128, 127));
          ++seen;
        }
  EXPECT_EQ(seen, 8);
  EXPECT_EQ(results.size(), word);
}

// Every bit of every port of more than one belongs to a beat, no bit to two; what the streams
// leave over up to a whole byte is nobody's.
TEST(Beats, CoverEveryPort) {
  for (
      const char* json : {
          R"({"type": "dot", "terms": 7})",
          R"({"type": "dot", "terms": 20, "scheme": "carry-lane"})",
          R"({"type": "requant", "accumulator_bits": 20, "bias_bits": 12, "zero_point_bits": 5, "shift": 16, "rounding": "half-up"})",
          R"({"type": "lut_macc", "terms": 3})",
          R"({"type": "conv2d", "in_channels": 5, "height": 4, "width": 5, "out_channels": 7, "kernel": [3, 3], "weights_from": "port"})",
          R"({"type": "matmul", "m": 5, "k": 6, "n": 3, "weights_from": "random"})",
          R"({"type": "conv2d", "in_channels": 6, "height": 3, "width": 5, "out_channels": 2, "kernel": [1, 1], "rows": 2, "words_a_clock": 2, "weights_from": "random"})",
          R"({"type": "matvec", "outputs": 5, "inputs": 6, "weights_from": "random"})",
          R"({"type": "popcount", "bits": 12})",
          R"({"type": "xnor_popcount", "bits": 12})",
          R"({"type": "multiplier", "a_bits": 4, "b_bits": 3})",
          R"({"type": "sum_of_products", "terms": 3, "a_bits": 3, "b_bits": 2})",
          R"({"type": "const_dot", "weights": [3, -2]})",
          R"({"type": "compressor", "operands": [{"count": 3, "bits": 5}]})",
          R"({"type": "bnn_neuron", "inputs": 6})",
          R"({"type": "bnn_serial", "inputs": 6, "cycles": 2})",
          R"({"type": "bnn_dense", "inputs": 2, "threshold": 1, "weights": [[1, 0], [0, 1]]})",
          R"({"type": "vision", "width": 8, "height": 8, "stages": [{"kernel": "convolve", "coefficients": [[1, 2, 1, 0, 1, 0, 2, 0, 1]], "loadable": true}]})",
          R"({"type": "pe_array", "rows": 3, "columns": 3, "accumulators": 2, "bits": 8, "weights_from": "random", "network": [{"type": "fc", "name": "f", "inputs": 4, "outputs": 5}]})",
      })
    for (const bool axi : {false, true}) {
      SCOPED_TRACE(json);
      std::shared_ptr<const Layer> layer = layer_of(json);
      if (axi && !axi_stream::wrap(layer, ir::Family::ultrascale_plus)) continue;
      Builder builder;
      const auto ports = ir::layout(layer->build(builder, {}));
      const auto beats = layer->beats();
      std::size_t known = 0;
      for (const auto* slots : {&ports.inputs, &ports.outputs})
        for (const ir::PortSlot& slot : *slots) {
          std::vector<int> owners(slot.width);
          bool is_stream = slot.name.ends_with("tdata");
          for (const Beat& b : beats) {
            if (b.port != slot.name) continue;
            ++known;
            ASSERT_LE(b.low + b.bits(), slot.width) << slot.name;
            for (Int e = 0; e < b.element_count(); ++e)
              for (std::uint32_t i = 0; i < b.width_of(e); ++i) ++owners[b.low_of(e) + i];
            for (const auto& name : b.when)
              EXPECT_TRUE(std::ranges::count(ports.inputs, name, &ir::PortSlot::name) +
                          std::ranges::count(ports.outputs, name, &ir::PortSlot::name))
                  << name;
          }
          if (slot.width == 1) continue;
          EXPECT_EQ(std::ranges::count_if(owners, [](int n) { return n > 1; }), 0) << slot.name;
          const auto free = std::ranges::count(owners, 0);
          EXPECT_LE(free, axi && is_stream ? 7 * static_cast<Int>(beats.size()) : 0) << slot.name;
        }
      EXPECT_EQ(known, beats.size());
    }
}

}  // namespace beats_decode_streams_test
}  // namespace kumiki::gen::beats::test
