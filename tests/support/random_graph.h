// SPDX-License-Identifier: Apache-2.0
// Random graphs for machines that run networks, and images for them.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::test {

namespace graph = gen::graph;
using graph::Graph;
using graph::Tensor;
using graph::TensorId;

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

  // What exporters write for padding, means of one pixel and channels that pass by: layers that
  // leave every number as it is, in front of everything that may read them; and biases that reach
  // the ends of the result.
  Graph of_identities() {
    g_ = {};
    g_.name = "identities";
    const bool one_pixel = number(0, 3) == 0;
    g_.input = tensor({number(1, 4), one_pixel ? 1 : number(2, 6), one_pixel ? 1 : number(2, 6)},
                      format());
    maps_ = {g_.input};
    for (int i = number(2, 4); i > 0; --i) {
      identity(maps_.back());
      const TensorId in = maps_.back();
      const graph::Shape map = g_.tensors[in].shape;
      switch (number(0, 7)) {
        case 0:
          maps_.push_back(node(graph::Add{}, {in, in}, tensor(map, format())));
          break;
        case 1:
          join(in);
          break;
        case 2:
          pool(in);
          break;
        case 3:
          maps_.push_back(lookup(in));
          break;
        case 4:
          identity(in);
          break;
        default:
          biased(conv(in, number(0, 1) == 0 ? graph::Window{} : window(map), 1, number(1, 4),
                      format()));
      }
    }
    if (number(0, 1) == 0) {
      mean();
      identity(maps_.back());
    }
    if (number(0, 1) == 0) dense(maps_.back());
    g_.outputs = {g_.nodes.back().output};
    graph::require_legal(g_);
    return std::move(g_);
  }

  // Sums of two maps of bytes: behind convolutions, behind a depthwise one, and alone. The second
  // number is the input or a sum before, in either order.
  Graph of_sums() {
    g_ = {};
    g_.name = "sums";
    g_.input = tensor({number(3, 40), number(2, 6), number(2, 6)}, byte());
    maps_ = {g_.input};
    for (int i = 0; i < 3; ++i) {
      const int channels = g_.tensors[g_.input].shape[0];
      graph::Window same;
      if (number(0, 1) == 0) same = {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}};
      std::vector<TensorId> both{conv(maps_.back(), same, i == 1 ? channels : 1, channels, byte()),
                                 any(maps_)};
      if (number(0, 1) == 0) std::swap(both[0], both[1]);
      maps_.push_back(sum(both));
    }
    g_.outputs = {sum({maps_[2], maps_[3]})};
    graph::require_legal(g_);
    return std::move(g_);
  }

  // Gates of one number a channel, a mean of a whole map, channels that are joined in the middle of
  // a tile, and strides of more than two.
  Graph of_gates() {
    g_ = {};
    g_.name = "gates";
    g_.input = tensor({number(3, 20), number(8, 13), number(8, 13)}, byte());
    const graph::Window same{.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}};
    const TensorId map = conv(g_.input, same, 1, number(3, 40), byte());
    const graph::Shape shape = g_.tensors[map].shape;
    TensorId gate = node(graph::GlobalAverage{}, {map}, tensor({shape[0], 1, 1}, byte()));
    gate = conv(gate, {}, 1, shape[0], byte());
    gate = node(graph::Resize{{shape[1], shape[2]}}, {gate}, like(gate, shape));
    std::vector<TensorId> both{map, gate};
    if (number(0, 1) == 0) std::swap(both[0], both[1]);
    const TensorId gated = node(graph::Mul{}, both, tensor(shape, byte()));
    const TensorId most = node(graph::MaxPool{same}, {gated}, like(gated, shape));
    const TensorId joined = node(graph::Concat{}, {gated, most, gated},
                                 like(gated, {3 * shape[0], shape[1], shape[2]}));
    const int stride = number(2, 4);
    const TensorId few = conv(joined,
                              {.kernel = {3, 3},
                               .stride = {stride, number(1, stride)},
                               .before = {1, 1},
                               .after = {1, 1}},
                              1, number(1, 9), byte());
    g_.outputs = {few,
                  node(graph::GlobalAverage{}, {joined}, tensor({3 * shape[0], 1, 1}, byte()))};
    graph::require_legal(g_);
    return std::move(g_);
  }

  // A block of a transformer on a map whose pixels are tokens: positions, heads with a softmax
  // each, residual sums and normalised layers, of which the last one may be averaged.
  Graph of_tokens() {
    g_ = {};
    g_.name = "tokens";
    const gen::arith::Format f = byte();
    const int heads = number(1, 3), tokens = number(1, 6);
    const graph::Shape map{8 * heads * number(1, 2), 1, tokens};
    g_.input = tensor(map, f);
    TensorId at = node(graph::Add{}, {g_.input, positions(map, f)}, tensor(map, f));
    const TensorId normal = number(0, 1) == 0 ? at : normalised(at, 0);
    const TensorId queries = conv(normal, {}, 1, map[0], f), keys = conv(normal, {}, 1, map[0], f),
                   values = conv(normal, {}, 1, map[0], f);
    const TensorId scores = product(heads, queries, keys, 0, {heads * tokens, 1, tokens});
    const TensorId weights = tensor(g_.tensors[scores].shape, f);
    g_.tensors[weights].scale = any(std::vector{0x1p-8F, 1 / 255.0F, 1 / 127.0F, 0x1p-9F});
    node(graph::Softmax{heads}, {scores}, weights);
    const TensorId mixed = product(heads, weights, values, 1, map);
    at = node(graph::Add{}, {at, conv(mixed, {}, 1, map[0], f)}, tensor(map, f));
    g_.outputs = {normalised(at, number(0, 1))};
    graph::require_legal(g_);
    return std::move(g_);
  }

  // Attention between tokens of two inputs: heads of whole blocks of so many channels, a constant,
  // and sometimes scores as a result. With a table in place of the softmax, or with softmax and
  // layer normalisation in integers.
  Graph of_attention(int rows, bool normalises = false) {
    g_ = {};
    g_.name = "attention";
    const int heads = number(1, 3), tokens = number(1, 30), others = number(1, 40),
              channels = normalises ? 8 * number(1, 5) : number(3, 40), width = rows * number(1, 2),
              made = rows * number(1, 2);
    g_.input = tensor({channels, 1, tokens}, byte());
    const TensorId other = tensor({channels, 1, others}, byte());
    g_.more_inputs = {other};
    const auto added = [&](TensorId to, TensorId which) {
      const graph::Shape& shape = g_.tensors[to].shape;
      return node(graph::Add{}, {to, which}, tensor(shape, byte()));
    };
    const TensorId at = added(g_.input, positions(g_.tensors[g_.input].shape, byte()));
    const TensorId normal = normalises ? normalised_in_integers(at) : at;
    const TensorId queries = conv(normal, {}, 1, heads * width, byte()),
                   keys = conv(other, {}, 1, heads * width, byte()),
                   values = conv(other, {}, 1, heads * made, byte());
    const TensorId scores = product(heads, queries, keys, 0, {heads * others, 1, tokens}),
                   weights = normalises ? softmax_in_integers(heads, scores) : lookup(scores);
    const TensorId mixed = product(heads, weights, values, 1, {heads * made, 1, tokens});
    g_.outputs = {added(conv(mixed, {}, 1, channels, byte()), at)};
    if (number(0, 2) == 0) g_.outputs.push_back(scores);
    if (number(0, 2) == 0) g_.outputs.push_back(weights);
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
  TensorId product(int heads, TensorId a, TensorId b, int by_pixels, const graph::Shape& shape) {
    const TensorId to = tensor(shape, g_.tensors[a].format);
    g_.tensors[to].scale =
        g_.tensors[a].scale * g_.tensors[b].scale * static_cast<float>(number(16, 256));
    return node(graph::MatMul{.groups = heads, .by_pixels = by_pixels}, {a, b}, to);
  }
  int number(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  template <class T>
  T any(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(number(0, static_cast<int>(all.size()) - 1))];
  }
  gen::arith::Format format() {
    return number(0, 7) == 0 ? gen::arith::Format{4, number(0, 1) == 0}
                             : gen::arith::Format{8, number(0, 1) == 0};
  }
  gen::arith::Format byte() { return {8, number(0, 1) == 0}; }
  TensorId sum(const std::vector<TensorId>& both) {
    return node(graph::Add{}, both, tensor(g_.tensors[both[0]].shape, byte()));
  }
  TensorId tensor(const graph::Shape& shape, gen::arith::Format f) {
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

  TensorId softmax_in_integers(int heads, TensorId scores) {
    const TensorId to = tensor(g_.tensors[scores].shape, g_.tensors[scores].format);
    g_.tensors[to].scale = any(std::vector{0x1p-8F, 1 / 255.0F, 1 / 127.0F, 0.03F, 1.0F});
    return node(graph::Softmax{.groups = heads, .integers = 1}, {scores}, to);
  }
  TensorId normalised_in_integers(TensorId at) {
    const TensorId to = normalised(at, 0);
    std::get<graph::LayerNorm>(g_.nodes.back().op).integers = 1;
    return to;
  }
  TensorId positions(const graph::Shape& map, gen::arith::Format f) {
    graph::Constant all;
    const auto range = f.range();
    for (std::size_t i = 0; i < graph::count(map); ++i)
      all.values.push_back(static_cast<std::int16_t>(
          number(static_cast<int>(range.lo), static_cast<int>(range.hi))));
    return node(std::move(all), {}, tensor(map, f));
  }
  TensorId normalised(TensorId in, int averages) {
    const graph::Shape map = g_.tensors[in].shape;
    const bool biased = number(0, 1) == 0;
    graph::LayerNorm op{.epsilon = any(std::vector{1e-5F, 1e-12F, 1.0F}), .averages = averages};
    for (int i = 0; i < map[0]; ++i) {
      op.factors.push_back(static_cast<float>(number(-300, 300)) / 100);
      if (biased) op.biases.push_back(static_cast<float>(number(-300, 300)) / 100);
    }
    return node(std::move(op), {in},
                tensor(averages == 1 ? graph::Shape{map[0]} : map, g_.tensors[in].format));
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
    const gen::arith::Format f = any(narrow);
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

  // Mostly as networks have them; an awkward one now and then.
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
  TensorId conv(TensorId in, const graph::Window& w, int groups, int outputs,
                gen::arith::Format f) {
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
  // A factor of 1 and an equal scale, a channel each: the same numbers in the same tensor, in a
  // wider or a narrower one that holds them, or with a border of its zero point around them.
  void identity(TensorId in) {
    const Tensor from = g_.tensors[in];
    graph::Conv c{.groups = from.shape[0],
                  .weights = std::vector<std::int16_t>(std::size_t(from.shape[0]), 1),
                  .bias = std::vector<std::int32_t>(std::size_t(from.shape[0]), 0),
                  .scales = {1}};
    Tensor to = from;
    to.name = fmt::format("t{}", g_.tensors.size());
    const int what = number(0, 4);
    if (what == 0 && from.format.bits == 4) to.format.bits = 8;
    if (what == 1) to.zero_point = 0, c.bias.assign(c.bias.size(), from.zero_point);
    if (what == 2 && from.zero_point == 0) {
      c.window.before = {number(0, 1), number(0, 2)};
      c.window.after = {number(0, 2), number(0, 1)};
      to.shape = {from.shape[0], c.window.positions(0, from.shape[1]),
                  c.window.positions(1, from.shape[2])};
    }
    g_.tensors.push_back(to);
    maps_.push_back(node(std::move(c), {in}, g_.tensors.size() - 1));
  }
  void biased(TensorId made) {
    maps_.push_back(made);
    if (number(0, 1) == 0) return;
    auto& c = std::get<graph::Conv>(g_.nodes.back().op);
    for (std::int32_t& b : c.bias) b = number(-10'000'000, 10'000'000);
  }
  TensorId lookup(TensorId in) {
    std::vector<std::int16_t> values;
    const TensorId out = tensor(g_.tensors[in].shape, {8, true});
    for (int i = 0; i < 1 << g_.tensors[in].format.bits; ++i)
      values.push_back(static_cast<std::int16_t>(number(-128, 127)));
    return node(graph::Lookup{values}, {in}, out);
  }
  // With another one of its shape and format, or with itself.
  void join(TensorId in) {
    const Tensor& t = g_.tensors[in];
    TensorId other = in;
    for (const TensorId id : maps_) {
      const Tensor& o = g_.tensors[id];
      if (o.shape == t.shape && o.format == t.format && o.scale == t.scale &&
          o.zero_point == t.zero_point && number(0, 1) == 0)
        other = id;
    }
    joined(other, in);
  }
  // Along the channels, lines or columns in turn.
  void joined(TensorId one, TensorId other) {
    const int axis = static_cast<int>(g_.nodes.size() % 3);
    graph::Shape shape = g_.tensors[other].shape;
    shape[static_cast<std::size_t>(axis)] *= 2;
    maps_.push_back(node(graph::Concat{axis}, {one, other}, like(other, shape)));
  }
  void add() {
    const TensorId in = number(0, 3) > 0 ? maps_.back() : any(maps_);
    const graph::Shape map = g_.tensors[in].shape;
    const int what = number(0, 10);
    if (what == 0) {
      maps_.push_back(lookup(in));
    } else if (what == 10) {
      resize(in);
    } else if (what == 1 && g_.nodes.size() % 2 == 0) {
      multiply(in);
    } else if (what == 1) {
      maps_.push_back(node(graph::Add{}, {in, in}, tensor(map, format())));
    } else if (what == 2) {
      joined(in, in);
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
  void resize(TensorId in) {
    const graph::Shape map = g_.tensors[in].shape;
    if (map[1] > 12 || map[2] > 12) return;
    const graph::Resize op{{number(1, 3), number(1, 2)}};
    maps_.push_back(
        node(op, {in}, like(in, {map[0], map[1] * op.factor[0], map[2] * op.factor[1]})));
  }
  // With itself, or with a number for each channel.
  void multiply(TensorId in) {
    const graph::Shape map = g_.tensors[in].shape;
    TensorId other = in;
    if (number(0, 1) == 0) {
      other = node(graph::GlobalAverage{}, {in}, tensor({map[0], 1, 1}, format()));
      other = node(graph::Resize{{map[1], map[2]}}, {other}, like(other, map));
    }
    maps_.push_back(node(graph::Mul{}, {in, other}, tensor(map, format())));
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

  const std::vector<gen::arith::Format> narrow{{2, true}, {4, false}, {4, true}, {3, false}};
  std::mt19937_64 random_;
  Graph g_;
  std::vector<TensorId> maps_;
};

inline std::vector<std::int32_t> random_images(const Graph& g, std::size_t count,
                                               std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> all;
  for (; count > 0; --count)
    for (const TensorId input : all_inputs(g)) {
      const auto range = graph::numbers_of_input(g, input);
      std::uniform_int_distribution<std::int32_t> any(static_cast<std::int32_t>(range.lo),
                                                      static_cast<std::int32_t>(range.hi));
      for (std::size_t n = graph::count(g.tensors[input].shape); n > 0; --n)
        all.push_back(any(random));
    }
  return all;
}

}  // namespace kumiki::test
