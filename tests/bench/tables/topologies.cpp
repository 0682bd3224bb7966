// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/tables/topologies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "backends/support/random.h"
#include "gen/layers/pipeline/plan.h"

namespace kumiki::cli {
namespace {

using gen::arith::Format;
using gen::graph::Conv;
using gen::graph::Graph;
using gen::graph::Shape;
using gen::graph::Tensor;
using gen::graph::TensorId;
using gen::graph::Window;

constexpr Format sums{32, true}, bytes{8, false};

Window square(int kernel, int stride = 1, int padding = 0) {
  return {.kernel = {kernel, kernel},
          .stride = {stride, stride},
          .before = {padding, padding},
          .after = {padding, padding}};
}

// Weights from -most to most; with one bit only -1 and 1.
struct Weights {
  int bits = 8;
  int most() const { return bits == 1 ? 1 : (1 << (bits - 1)) - 1; }
  double deviation() const { return bits == 1 ? 1 : most() / std::sqrt(3.0); }
};

// Builds a network, node after node.
class Sketch {
 public:
  Sketch(const std::string& name, const Shape& shape, Format format) : random_(1, name) {
    g_.name = name;
    g_.input = tensor("image", shape, format);
    last_ = g_.input;
  }
  Graph done() { return done({last_}); }
  Graph done(std::vector<TensorId> outputs) {
    g_.outputs = std::move(outputs);
    gen::graph::require_legal(g_);
    return std::move(g_);
  }
  TensorId last() const { return last_; }

  // Adds sums of products.
  Sketch& products(int channels, const Window& window, Weights weights, int groups = 1) {
    return convolved(channels, window, weights, groups, sums, 0, 1);
  }
  Sketch& dense(int channels, Weights weights) {
    const Shape& in = g_.tensors[last_].shape;
    Window all;
    all.kernel = {in[1], in[2]};
    return products(channels, all, weights);
  }

  // Turns sums into -1 and 1.
  Sketch& signs() {
    return steps({2, true}, -1, 2, [&] {
      const auto begin = around(0, spread());
      return std::vector{begin, begin};
    });
  }
  // Turns sums into 0 to 2^bits - 1, with steps of equal size in each channel.
  Sketch& levels(int bits) {
    const int count = (1 << bits) - 1;
    return steps({bits, false}, 0, count, [&] {
      const double step = spread() * (2 + random_.below(100) / 100.0) / count;
      std::vector<std::int32_t> begins;
      const std::int32_t first = around(0, spread() / 4);
      for (int i = 0; i < count; ++i)
        begins.push_back(first + static_cast<std::int32_t>(std::lround(step * i)));
      return begins;
    });
  }

  Sketch& pool(const Window& window) {
    const Tensor in = g_.tensors[last_];
    return node(gen::graph::MaxPool{window}, {last_},
                tensor_like(in, {in.shape[0], window.positions(0, in.shape[1]),
                                 window.positions(1, in.shape[2])}));
  }

  // A convolution as in trained 8-bit networks: onnxruntime's requantisation with one scale for
  // each channel.
  Sketch& quantised(int channels, const Window& window, bool is_bounded = true, int bits = 8,
                    int groups = 1) {
    const int all = 1 << bits;
    return convolved(channels, window, {bits}, groups, {bits, false},
                     is_bounded ? 0 : all / 2 - all / 32, is_bounded ? all / 5.0 : all / 8.0);
  }
  Sketch& added(TensorId a, TensorId b) {
    Tensor out = g_.tensors[a];
    out.zero_point = 0;
    out.scale = 0.031F;
    return node(gen::graph::Add{}, {a, b}, tensor(next_name("add"), out));
  }
  Sketch& enlarged(int factor) {
    const Tensor in = g_.tensors[last_];
    return node(gen::graph::Resize{{factor, factor}}, {last_},
                tensor_like(in, {in.shape[0], factor * in.shape[1], factor * in.shape[2]}));
  }
  // The channels of another map follow those of the last one, which was enlarged.
  Sketch& beside(TensorId other) {
    const Tensor more = g_.tensors[other];
    for (const TensorId id : {last_, g_.nodes.back().inputs[0]}) g_.tensors[id].scale = more.scale;
    const Tensor in = g_.tensors[last_];
    return node(gen::graph::Concat{}, {last_, other},
                tensor_like(in, {in.shape[0] + more.shape[0], in.shape[1], in.shape[2]}));
  }
  Sketch& mean() {
    const Tensor in = g_.tensors[last_];
    return node(gen::graph::GlobalAverage{}, {last_}, tensor_like(in, {in.shape[0], 1, 1}));
  }
  Sketch& from(TensorId id) {
    last_ = id;
    return *this;
  }

 private:
  TensorId tensor(const std::string& name, Tensor t) {
    t.name = name;
    g_.tensors.push_back(std::move(t));
    return g_.tensors.size() - 1;
  }
  TensorId tensor(const std::string& name, const Shape& shape, Format format, int zero_point = 0) {
    return tensor(name,
                  Tensor{.name = {}, .shape = shape, .format = format, .zero_point = zero_point});
  }
  TensorId tensor_like(Tensor in, const Shape& shape) {
    in.shape = shape;
    return tensor(next_name("map"), std::move(in));
  }
  std::string next_name(const char* what) { return fmt::format("{}{}", what, g_.tensors.size()); }

  Sketch& node(gen::graph::Operator op, std::vector<TensorId> inputs, TensorId output) {
    g_.nodes.push_back({fmt::format("{}{}", gen::graph::name_of(op), g_.nodes.size()),
                        std::move(op), std::move(inputs), output});
    last_ = output;
    return *this;
  }

  // `deviation`: of the results; of the sums themselves if these are the results.
  Sketch& convolved(int channels, const Window& window, Weights weights, int groups, Format format,
                    int zero_point, double deviation) {
    const Tensor in = g_.tensors[last_];
    const int terms = in.shape[0] / groups * window.kernel[0] * window.kernel[1];
    Conv conv{.window = window,
              .groups = groups,
              .weights = {},
              .bias = std::vector<std::int32_t>(static_cast<std::size_t>(channels)),
              .scales = {1}};
    for (int i = 0; i < channels * terms; ++i)
      conv.weights.push_back(static_cast<std::int16_t>(
          weights.bits == 1 ? (random_.one_in(2) ? -1 : 1)
                            : static_cast<int>(random_.below(
                                  static_cast<std::uint32_t>(2 * weights.most() + 1))) -
                                  weights.most()));
    const double numbers = in.format.is_signed ? 1 : (1 << in.format.bits) / 2.0;
    spread_ = std::sqrt(terms) * weights.deviation() * numbers;
    if (format != sums) {
      conv.scales.clear();
      for (std::int32_t& b : conv.bias) {
        conv.scales.push_back(
            static_cast<float>(deviation / spread_ * (0.8 + random_.below(400) / 1000.0)));
        b = around(0, spread_ / 2);
      }
    }
    return node(
        std::move(conv), {last_},
        tensor(next_name("map"),
               {channels, window.positions(0, in.shape[1]), window.positions(1, in.shape[2])},
               format, zero_point));
  }

  template <class Begins>
  Sketch& steps(Format format, int lowest, int levels, const Begins& begins_of_channel) {
    const Shape shape = g_.tensors[last_].shape;
    gen::graph::Thresholds t{.lowest = lowest, .levels = levels, .begins = {}, .falling = {}};
    for (int c = 0; c < shape[0]; ++c) {
      const auto begins = begins_of_channel();
      t.begins.insert(t.begins.end(), begins.begin(), begins.end());
    }
    return node(std::move(t), {last_}, tensor(next_name("numbers"), shape, format));
  }

  double spread() const { return spread_; }
  // Sums of four uniform numbers are close enough to a normal distribution.
  std::int32_t around(double mean, double deviation) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += random_.below(2001) / 1000.0 - 1;
    return static_cast<std::int32_t>(std::lround(mean + deviation * sum * std::sqrt(0.75)));
  }

  backends::lockstep::Random random_;
  Graph g_;
  TensorId last_ = 0;
  double spread_ = 1;  // approximate standard deviation of the last sums
};

Graph dense_of_signs(const std::string& name, int neurons) {
  Sketch s(name, {784, 1, 1}, bytes);
  for (int layer = 0; layer < 3; ++layer) s.dense(neurons, {1}).signs();
  return s.dense(10, {1}).done();
}

// Six convolutions and three dense layers for images of 32 x 32 pixels, with weights and numbers of
// so many bits; the first layer reads bytes.
Graph cnv(const std::string& name, int bits) {
  Sketch s(name, {3, 32, 32}, bytes);
  const auto numbers = [&] { bits == 1 ? s.signs() : s.levels(bits); };
  for (const int channels : {64, 128, 256}) {
    for (int i = 0; i < 2; ++i) {
      s.products(channels, square(3), {bits});
      numbers();
    }
    if (channels < 256) s.pool(square(2, 2));
  }
  for (int i = 0; i < 2; ++i) {
    s.dense(512, {bits});
    numbers();
  }
  return s.dense(10, {bits}).done();
}

// Channels and stride of MobileNet-v1.
constexpr std::array<std::pair<int, int>, 13> mobilenet_blocks{{{64, 1},
                                                                {128, 2},
                                                                {128, 1},
                                                                {256, 2},
                                                                {256, 1},
                                                                {512, 2},
                                                                {512, 1},
                                                                {512, 1},
                                                                {512, 1},
                                                                {512, 1},
                                                                {512, 1},
                                                                {1024, 2},
                                                                {1024, 1}}};

Graph mobilenet() {
  Sketch s("MobileNet-v1-w4a4", {3, 224, 224}, bytes);
  s.products(32, square(3, 2, 1), {8}).levels(4);
  int channels = 32;
  for (const auto& [next, stride] : mobilenet_blocks) {
    s.products(channels, square(3, stride, 1), {4}, channels).levels(4);
    s.products(next, square(1), {4}).levels(4);
    channels = next;
  }
  return s.mean().dense(1000, {8}).done();
}

// For square images of `side` pixels.
Graph resnet18(const std::string& name, int side) {
  Sketch s(name, {3, side, side}, bytes);
  s.quantised(64, square(7, 2, 3)).pool(square(3, 2, 1));
  int channels = 64;
  for (const int next : {64, 128, 256, 512})
    for (int block = 0; block < 2; ++block) {
      const int stride = next != channels ? 2 : 1;
      const TensorId in = s.last();
      s.quantised(next, square(3, stride, 1)).quantised(next, square(3, 1, 1), false);
      const TensorId way = s.last();
      const TensorId past =
          next == channels ? in : s.from(in).quantised(next, square(1, stride), false).last();
      s.added(way, past);
      channels = next;
    }
  return s.mean().quantised(1000, square(1), false).done();
}

Graph resnet50() {
  Sketch s("ResNet-50-int8", {3, 224, 224}, bytes);
  s.quantised(64, square(7, 2, 3)).pool(square(3, 2, 1));
  constexpr std::array<std::pair<int, int>, 4> stages{{{64, 3}, {128, 4}, {256, 6}, {512, 3}}};
  for (const auto& [channels, blocks] : stages)
    for (int block = 0; block < blocks; ++block) {
      const int stride = block == 0 && channels != 64 ? 2 : 1;
      const TensorId in = s.last();
      s.quantised(channels, square(1)).quantised(channels, square(3, stride, 1));
      const TensorId way = s.quantised(4 * channels, square(1), false).last();
      const TensorId past =
          block > 0 ? in : s.from(in).quantised(4 * channels, square(1, stride), false).last();
      s.added(way, past);
    }
  return s.mean().quantised(1000, square(1), false).done();
}

Graph mobilenet_v2() {
  Sketch s("MobileNet-v2-int8", {3, 224, 224}, bytes);
  s.quantised(32, square(3, 2, 1));
  struct Stage {
    int growth, channels, blocks, stride;
  };
  constexpr std::array<Stage, 7> stages{{{1, 16, 1, 1},
                                         {6, 24, 2, 2},
                                         {6, 32, 3, 2},
                                         {6, 64, 4, 2},
                                         {6, 96, 3, 1},
                                         {6, 160, 3, 2},
                                         {6, 320, 1, 1}}};
  int channels = 32;
  for (const Stage& stage : stages)
    for (int block = 0; block < stage.blocks; ++block) {
      const TensorId in = s.last();
      const int inside = channels * stage.growth;
      if (stage.growth > 1) s.quantised(inside, square(1));
      s.quantised(inside, square(3, block == 0 ? stage.stride : 1, 1), true, 8, inside);
      s.quantised(stage.channels, square(1), false);
      if (block > 0) s.added(s.last(), in);
      channels = stage.channels;
    }
  return s.quantised(1280, square(1)).mean().quantised(1000, square(1), false).done();
}

Graph mobilenet_v1() {
  Sketch s("MobileNet-v1-int8", {3, 224, 224}, bytes);
  s.quantised(32, square(3, 2, 1));
  int channels = 32;
  for (const auto& [next, stride] : mobilenet_blocks) {
    s.quantised(channels, square(3, stride, 1), true, 8, channels).quantised(next, square(1));
    channels = next;
  }
  return s.mean().quantised(1000, square(1), false).done();
}

// Without the boxes, which a host decodes.
Graph yolo_v3(const std::string& name, int side) {
  Sketch s(name, {3, side, side}, bytes);
  s.quantised(32, square(3, 1, 1));
  std::vector<TensorId> maps;  // of each size
  int channels = 32;
  for (const int blocks : {1, 2, 8, 8, 4}) {
    s.quantised(2 * channels, square(3, 2, 1));
    for (int block = 0; block < blocks; ++block) {
      const TensorId in = s.last();
      s.quantised(channels, square(1)).quantised(2 * channels, square(3, 1, 1));
      s.added(s.last(), in);
    }
    channels *= 2;
    maps.push_back(s.last());
  }
  std::vector<TensorId> heads;
  for (int size = 0; size < 3; ++size) {
    channels /= 2;
    if (size > 0) {
      s.quantised(channels, square(1)).enlarged(2);
      s.beside(maps[maps.size() - 1 - static_cast<std::size_t>(size)]);
    }
    s.quantised(channels, square(1)).quantised(2 * channels, square(3, 1, 1));
    s.quantised(channels, square(1)).quantised(2 * channels, square(3, 1, 1));
    const TensorId body = s.quantised(channels, square(1)).last();
    heads.push_back(
        s.quantised(2 * channels, square(3, 1, 1)).quantised(255, square(1), false).last());
    s.from(body);
  }
  return s.done(heads);
}

// The particle jets of hls4ml.
Graph jets(const std::string& name, int bits) {
  Sketch s(name, {16, 1, 1}, {bits, false});
  for (const int neurons : {64, 32, 32}) s.quantised(neurons, square(1), true, bits);
  return s.quantised(5, square(1), false, bits).done();
}

}  // namespace

std::span<const Topology> topologies() {
  static const std::array all{
      Topology{"jets-w6a6", 1, [] { return jets("jets-w6a6", 6); }},
      Topology{"jets-w8a8", 1, [] { return jets("jets-w8a8", 8); }},
      Topology{.name = "jets-w6a6-luts",
               .clocks = 1,
               .make = [] { return jets("jets-w6a6", 6); },
               .in_luts = gen::pipeline::all_nodes},
      Topology{.name = "jets-w8a8-luts",
               .clocks = 1,
               .make = [] { return jets("jets-w8a8", 8); },
               .in_luts = gen::pipeline::all_nodes},
      // 64: as in the folding 16 x 49, 8 x 8, 8 x 8 of FINN's example.
      Topology{"TFC-w1a1", 64, [] { return dense_of_signs("TFC-w1a1", 64); }},
      Topology{"LFC-w1a1", 4096, [] { return dense_of_signs("LFC-w1a1", 1024); }},
      // BNN-PYNQ measured 3,039 images in a second at 100 MHz.
      Topology{"CNV-w1a1", 32'900, [] { return cnv("CNV-w1a1", 1); }},
      Topology{"CNV-w2a2", 32'900, [] { return cnv("CNV-w2a2", 2); }},
      Topology{.name = "TFC-w1a1-trees",
               .clocks = 64,
               .make = [] { return dense_of_signs("TFC-w1a1-trees", 64); },
               .in_trees = gen::pipeline::binarised_nodes},
      Topology{.name = "LFC-w1a1-trees",
               .clocks = 4096,
               .make = [] { return dense_of_signs("LFC-w1a1-trees", 1024); },
               .in_trees = gen::pipeline::binarised_nodes},
      Topology{.name = "CNV-w1a1-trees",
               .clocks = 32'900,
               .make = [] { return cnv("CNV-w1a1-trees", 1); },
               .in_trees = gen::pipeline::binarised_nodes},
      Topology{.name = "CNV-w2a2-trees",
               .clocks = 32'900,
               .make = [] { return cnv("CNV-w2a2-trees", 2); },
               .in_trees = gen::pipeline::all_nodes},
      Topology{"MobileNet-v1-w4a4", 1'000'000, mobilenet, true},
      Topology{.name = "ResNet-18-int8",
               .clocks = 1'000'000,
               .make = [] { return resnet18("ResNet-18-int8", 224); },
               .is_large = true},
      // All of its layers, with images small enough that a netlist runs in minutes.
      Topology{.name = "ResNet-18-int8-64x64",
               .clocks = 80'000,
               .make = [] { return resnet18("ResNet-18-int8-64x64", 64); },
               .is_large = true}};
  return all;
}

std::span<const Topology> interpreted_topologies() {
  static const std::array all{
      Topology{.name = "ResNet-18-int8", .make = [] { return resnet18("ResNet-18-int8", 224); }},
      Topology{.name = "ResNet-50-int8", .make = resnet50},
      Topology{.name = "MobileNet-v2-int8", .make = mobilenet_v2}};
  return all;
}

std::span<const Topology> engine_topologies() {
  static const std::array all{
      Topology{.name = "ResNet-18-int8", .make = [] { return resnet18("ResNet-18-int8", 224); }},
      Topology{.name = "ResNet-50-int8", .make = resnet50},
      Topology{.name = "MobileNet-v1-int8", .make = mobilenet_v1},
      Topology{.name = "MobileNet-v2-int8", .make = mobilenet_v2},
      Topology{.name = "YOLOv3-int8-416x416",
               .make = [] { return yolo_v3("YOLOv3-int8-416x416", 416); }}};
  return all;
}

}  // namespace kumiki::cli
