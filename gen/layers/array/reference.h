// SPDX-License-Identifier: Apache-2.0
// Layers by definition. Nothing here knows the array or its order.
#pragma once
#include <array>
#include <optional>
#include <string>

#include "gen/arith/float_rule.h"
#include "gen/layers/array/shape.h"
#include "gen/layers/array/tensor.h"

namespace kumiki::gen::array {

// Pooling over windows of `size` rows and columns, two apart. Windows that leave the map are left
// out.
enum class PoolKind : std::uint8_t { none, max, average };
struct Pool {
  PoolKind kind = PoolKind::none;
  int size = 2;  // 2 or 3
  bool operator==(const Pool&) const = default;
};

// A layer and its numbers. Bias, multiplier and shift have one entry an output channel, or none:
// bias 0, multiplier 1, shift 1.
struct LayerJob {
  LayerShape shape;
  Pool pool;
  bool relu = false;
  Weights weights;
  std::vector<std::int64_t> bias;
  std::vector<std::uint32_t> multiplier;
  std::vector<int> shift;
  std::optional<double> scale;  // the scale the user gave; multiplier and shift are near it
  // On an array that requantises as float32, in place of multiplier and shift: a scale, or one an
  // output channel. Sums are those of inputs less their zero point; padding is the zero point.
  std::vector<float> scales;
  std::int64_t input_zero_point = 0, zero_point = 0;
  std::optional<std::array<std::int64_t, 2>> clamp;  // the least and the most that leaves
  bool own_input = false;  // the host gives the input, not the layer before
  // Of the results that leave the array the host keeps every so manieth row and column: strides
  // that the array has not.
  std::array<std::int64_t, 2> kept{1, 1};
  std::int64_t empty_taps = 0;  // of a kernel: 0 to make it square
  int drawn_bits = 0;           // of random weights between such taps

  // Of random weights; 0: they are given.
  int random_bits() const { return weights.random() ? weights.bits() : drawn_bits; }
  std::int64_t outputs() const {
    return shape.kind == Kind::fc ? shape.fc.outputs : shape.conv.out_channels;
  }
  std::int64_t weight_count() const;
  MapShape in_shape() const;    // of a fully connected layer: its inputs, each for all images
  MapShape sum_shape() const;   // before pooling
  MapShape made_shape() const;  // that leaves the array
  MapShape out_shape() const;   // that is kept
  bool keeps_all() const { return kept == std::array<std::int64_t, 2>{1, 1}; }
  // Where a value of the made map stands among those that are kept; nothing: it is left out.
  std::optional<std::int64_t> kept_at(std::int64_t index) const;
  // Whether the layer takes the map as its input: a map of its own shape; a fully connected layer
  // of one image takes any map with as many values.
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
  bool multiplies = true;  // requantisation has a multiplier, otherwise it is only shifted
  bool float32 = false;    // it is that of onnxruntime
};

// The sums of products, before pooling and requantisation.
std::vector<std::int64_t> accumulate(const LayerJob& job, const Tensor& input);
std::int32_t requantise(std::int64_t value, std::int64_t bias, std::uint32_t multiplier, int shift,
                        bool relu, const Arithmetic& arithmetic);
Tensor reference(const LayerJob& job, const Tensor& input, const Arithmetic& arithmetic);

// What is added to the sums of a channel: the bias, less what the zero point of the input adds to
// the sums of its raw numbers. None where there is neither.
std::vector<std::int64_t> offsets(const LayerJob& job);

// The least and the most that the sums of one output channel can become, for any input.
struct Bounds {
  std::int64_t least = 0, most = 0;
};
// With `slots` > 1, the bounds of the worst of `slots` partial sums; input i is in sum i % slots.
Bounds bounds(const LayerJob& job, std::int64_t channel, int data_bits, int slots = 1);

}  // namespace kumiki::gen::array
