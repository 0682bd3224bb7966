// SPDX-License-Identifier: Apache-2.0
// A trained network as integers: tensors of numbers of few bits, and operators that have a meaning
// for integers only. Every machine is compared with it, and it is compared with onnxruntime.
//
// A number q of a tensor stands for scale * (q - zero point). A tensor is that of one image:
// [channels][rows][columns] of a map, [features] of a vector, the last index fastest.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gen/arith/float_rule.h"
#include "gen/arith/format.h"

namespace kumiki::gen::graph {

using arith::Format;

using Shape = std::vector<int>;
std::size_t count(const Shape& shape);      // of its numbers
std::string to_string(const Shape& shape);  // "3x32x32"

struct Tensor {
  std::string name;
  Shape shape;
  Format format{8, true};
  int zero_point = 0;
  float scale = 1;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// Which numbers of a map form one number of the next: rows first, columns second.
struct Window {
  std::array<int, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  std::array<int, 2> before{0, 0}, after{0, 0};  // padding
  friend bool operator==(const Window&, const Window&) = default;

  int reach(int axis) const { return (kernel[axis] - 1) * dilation[axis] + 1; }
  // Positions of the window along an axis of this length; less than 1: it does not fit.
  int positions(int axis, int length) const {
    return (length + before[axis] + after[axis] - reach(axis)) / stride[axis] + 1;
  }
  // Whether a position has padding under all of its taps.
  bool sees_nothing(int axis, int length) const;
};

// Sums of products, with both zero points subtracted, plus the bias, requantised by FloatRule.
// Padding is the zero point of the input, so it adds nothing. A dense layer is a kernel of 1 x 1 on
// a map of 1 x 1.
struct Conv {
  Window window;
  int groups = 1;
  // [out][in / groups][row][column], with zero points subtracted.
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> bias;  // [out]
  std::vector<float> scales;       // [out], or one for all: arith::product_scale
  friend bool operator==(const Conv&, const Conv&) = default;
};

// onnxruntime's QLinearAdd in float32: fma(a, ra, fma(b, rb, fixed)) to the nearest, ties to even,
// with ra = scale of a / scale of the result and fixed = zero point - fma(ra, za, rb * zb). The
// order counts: a + b and b + a differ in a few pairs.
// Or any function of both, if there is a table: [number of a - lowest a][number of b - lowest b].
struct Add {
  std::vector<std::int16_t> table = {};
  friend bool operator==(const Add&, const Add&) = default;
};

// The largest of a window; padding is smaller than everything.
struct MaxPool {
  Window window;
  friend bool operator==(const MaxPool&, const MaxPool&) = default;
};

// The mean of every channel: the sum with zero points subtracted, requantised with the scale input
// / (result * pixels) in float32.
struct GlobalAverage {
  friend bool operator==(const GlobalAverage&, const GlobalAverage&) = default;
};

// The mean of a window in onnxruntime's float32, for means whose last bits decide: scale * (number
// - zero point) added from the first row on, left to right, divided by the size of the kernel, then
// by the scale of the result, plus its zero point, to the nearest, ties to even. Padding counts.
struct AveragePool {
  Window window;
  friend bool operator==(const AveragePool&, const AveragePool&) = default;
};

// Any function of one number: values[q - lowest q].
struct Lookup {
  std::vector<std::int16_t> values;
  friend bool operator==(const Lookup&, const Lookup&) = default;
};

// The inputs after each other along the channels; all have the format and scale of the result.
struct Concat {
  friend bool operator==(const Concat&, const Concat&) = default;
};

// The same numbers in the same order with another shape.
struct Reshape {
  friend bool operator==(const Reshape&, const Reshape&) = default;
};

// Result axis i is input axis order[i].
struct Transpose {
  std::vector<int> order;
  friend bool operator==(const Transpose&, const Transpose&) = default;
};

// Any monotone function of one number, channel by channel, as a list of where the next result
// begins. The result is lowest plus how many of the channel's numbers are at most x, or above x if
// the channel falls. Results that never occur begin where the next one does.
struct Thresholds {
  int lowest = 0;
  int levels = 1;                     // results less one
  std::vector<std::int32_t> begins;   // [channel][level], or [level] for all channels
  std::vector<std::uint8_t> falling;  // [channel], 0 or 1; none: no channel falls
  friend bool operator==(const Thresholds&, const Thresholds&) = default;
};

// The index of the largest number of a vector, the first of equal ones.
struct ArgMax {
  friend bool operator==(const ArgMax&, const ArgMax&) = default;
};

// Whether an Add without a table may take the ratio of the scales: a normal number for which the
// sum of two bytes stays within 32 bits. "from 2^-126 to 2^20".
bool is_ratio_of_add(const Tensor& in, const Tensor& out);
inline constexpr std::string_view ratios_of_add = "from 2^-126 to 2^20";

using Operator = std::variant<Conv, Add, MaxPool, GlobalAverage, Lookup, Concat, Reshape, Transpose,
                              ArgMax, Thresholds, AveragePool>;
std::string_view name_of(const Operator& op);  // "conv"
std::string with_article(const Operator& op);  // "a conv", "an add"

using TensorId = std::size_t;

struct Node {
  std::string name;
  Operator op;
  std::vector<TensorId> inputs;
  TensorId output = 0;
  friend bool operator==(const Node&, const Node&) = default;
};

// What a host does with a real number of the input before it quantises it, in float32: one number
// for each channel of the input, or one for all.
struct Preparation {
  enum class Kind : std::uint8_t { plus, minus, from, times, over };
  Kind kind = Kind::plus;
  std::vector<float> values;
  friend bool operator==(const Preparation&, const Preparation&) = default;
};
std::string_view name_of(Preparation::Kind kind);  // "minus"

struct Graph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;  // each after those whose results it reads
  TensorId input = 0;
  std::vector<Preparation> preparation = {};  // one after the other
  std::vector<TensorId> outputs;
  friend bool operator==(const Graph&, const Graph&) = default;
};

// All errors of a graph, a node or a tensor, in its order. If empty, the interpreter and every
// machine may rely on shapes, counts and ranges.
struct Finding {
  std::string where;    // "node conv1", "tensor x"
  std::string message;  // "has 9 weights: 27 are legal"
  friend bool operator==(const Finding&, const Finding&) = default;
};
std::vector<Finding> check(const Graph& graph);
void require_legal(const Graph& graph);  // DesignError with all of them

// Every rule by which sums of a node become numbers, one a channel, of Conv and GlobalAverage.
std::vector<arith::FloatRule> rules_of(const Graph& graph, const Node& node);
// Which numbers every tensor can have: those of its format, or fewer after tables and thresholds.
// `reached_by` computes those of a node's result from those of its inputs.
std::vector<arith::Interval> reached_numbers(const Graph& graph);
arith::Interval reached_by(const Graph& graph, const Node& node,
                           const std::vector<arith::Interval>& numbers);
// The sums that a channel can reach, from its weights and the numbers of its input, bias included.
std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node);
std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node,
                                          const std::vector<arith::Interval>& numbers);
std::vector<arith::Interval> reachable_of(const Conv& conv, const Tensor& in);

}  // namespace kumiki::gen::graph
