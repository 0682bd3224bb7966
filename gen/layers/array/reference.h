// SPDX-License-Identifier: Apache-2.0
// Layers by definition. Nothing here knows the array or its order of computation.
#pragma once
#include <array>
#include <optional>
#include <string>

#include "gen/arith/float_rule.h"
#include "gen/layers/array/shape.h"
#include "gen/layers/array/tensor.h"

namespace kumiki::gen::array {

// Pooling over windows of `size` rows and columns at stride two. Windows that would leave the map
// are omitted.
enum class PoolKind : std::uint8_t { none, max, average };
struct Pool {
  PoolKind kind = PoolKind::none;
  int size = 2;  // 2 or 3
  bool operator==(const Pool&) const = default;
};

// A layer and its numbers. Bias, multiplier and shift have one entry for each output channel, or
// none: then bias 0, multiplier 1, shift 1.
struct LayerJob {
  LayerShape shape;
  Pool pool;
  bool relu = false;
  Weights weights;
  std::vector<std::int64_t> bias;
  std::vector<std::uint32_t> multiplier;
  std::vector<int> shift;
  std::optional<double> scale;  // the user's scale; multiplier and shift approximate it
  // On an array that requantises as float32, these replace multiplier and shift: one scale, or one
  // for each output channel. Sums are of inputs minus their zero point; padding is the zero point.
  std::vector<float> scales;
  std::int64_t input_zero_point = 0, zero_point = 0;
  std::optional<std::array<std::int64_t, 2>> clamp;  // the least and the largest result
  bool own_input = false;  // the input comes from the host, not from the previous layer
  // The host keeps every kept[0]-th row and kept[1]-th column of the array's results. This realises
  // strides that the array lacks.
  std::array<std::int64_t, 2> kept{1, 1};
  std::int64_t empty_taps = 0;  // of a kernel: 0s that make it square
  int drawn_bits = 0;           // of random weights in a kernel with such taps

  // Bits of random weights; 0: the weights are given.
  int random_bits() const { return weights.random() ? weights.bits() : drawn_bits; }
  std::int64_t outputs() const {
    return shape.kind == Kind::fc ? shape.fc.outputs : shape.conv.out_channels;
  }
  std::int64_t weight_count() const;
  MapShape in_shape() const;    // of a fully connected layer: its inputs, each for all images
  MapShape sum_shape() const;   // before pooling
  MapShape made_shape() const;  // leaves the array
  MapShape out_shape() const;   // kept by the host
  bool keeps_all() const { return kept == std::array<std::int64_t, 2>{1, 1}; }
  // The index of a value of the made map among those kept; empty: it is dropped.
  std::optional<std::int64_t> kept_at(std::int64_t index) const;
  // Whether the layer accepts the map as its input: a map of its input shape. A fully connected
  // layer of one image accepts any map with as many values.
  bool takes(const MapShape& map) const {
    return shape.kind == Kind::fc && shape.fc.batch == 1 ? map.size() == in_shape().size()
                                                         : map == in_shape();
  }
  std::int64_t bias_of(std::int64_t channel) const { return entry(bias, channel, 0); }
  std::uint32_t multiplier_of(std::int64_t channel) const { return entry(multiplier, channel, 1); }
  int shift_of(std::int64_t channel) const { return entry(shift, channel, 1); }
  arith::FloatRule rule_of(std::int64_t channel, int data_bits) const;

 private:
  template <class T>
  static T entry(const std::vector<T>& all, std::int64_t i, int otherwise) {
    return all.empty() ? static_cast<T>(otherwise) : all[static_cast<std::size_t>(i)];
  }
};

// The bits of results, and the modulus of sums.
struct Arithmetic {
  int data_bits = 8;
  int sum_bits = 32;
  bool multiplies = true;  // requantisation multiplies and shifts; otherwise it only shifts
  bool float32 = false;    // requantisation is that of onnxruntime
};

// The sums of products, before pooling and requantisation.
std::vector<std::int64_t> accumulate(const LayerJob& job, const Tensor& input);
std::int32_t requantise(std::int64_t value, std::int64_t bias, std::uint32_t multiplier, int shift,
                        bool relu, const Arithmetic& arithmetic);
Tensor reference(const LayerJob& job, const Tensor& input, const Arithmetic& arithmetic);

// What is added to the sums of a channel: the bias, minus what the zero point of the input
// contributes to sums of raw numbers. Empty if there is neither.
std::vector<std::int64_t> offsets(const LayerJob& job);

// The range of one output channel's sums, for any input.
struct Bounds {
  std::int64_t least = 0, most = 0;
};
// With `slots` > 1, the bounds of the worst of `slots` partial sums; input i is in sum i % slots.
Bounds bounds(const LayerJob& job, std::int64_t channel, int data_bits, int slots = 1);

}  // namespace kumiki::gen::array
