// SPDX-License-Identifier: Apache-2.0
// What a name of an ONNX model stands for while its nodes are walked: numbers of the graph, real
// numbers that are a function of them, constants, and results that wait for their quantiser.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/onnx/model.h"

namespace kumiki::gen::onnx {

// How real numbers become integers.
struct Quantiser {
  graph::Format format;
  int zero_point = 0;
  float scale = 1;
  friend bool operator==(const Quantiser&, const Quantiser&) = default;
};
Quantiser quantiser_of(const graph::Tensor& tensor);

// Whose arithmetic makes the integer: that of ONNX, QONNX' Quant (x / scale + zero point, clamped
// first), 1 from 0 on and -1 below, QONNX' Trunc (rounded to integers by one quantiser, divided,
// and rounded again), or how many thresholds a value has reached.
enum class Rule : std::uint8_t { linear, quant, bipolar, truncated, counted };
struct Target {
  Quantiser as;
  Rule rule = Rule::linear;
  bool narrow = false;  // without one of the extremes, so that both signs reach as far
  float (*rounding)(float) = nullptr;  // of quant and truncated; none: to the nearest, ties to even
  // Of truncated.
  float first_scale = 1, first_zero_point = 0, divisor = 1;
  bool clamps = true;  // otherwise numbers beyond the format are refused
  // Of counted: number = lowest + factor * count; in each channel, or in one for all, rising.
  int lowest = 0, factor = 1;
  std::shared_ptr<const std::vector<std::vector<float>>> thresholds = {};
};

using Pads = std::array<int, 4>;  // top, left, bottom, right

// Nothing is known of it: what made it was refused.
struct Unknown {};
// The float input of the model, before its quantiser, and what is done to it until then: a shape,
// an order of axes, a pool, bounds. A quantiser is monotone and takes numbers one by one, so all of
// it is done behind it.
struct Bounds {
  float low, high;
};
struct FloatInput {
  using Step = std::variant<Dims, std::vector<int>, graph::MaxPool, Bounds, Pads>;
  std::vector<Step> steps = {};
  std::vector<graph::Preparation> preparation = {};  // before them, by the host
};
// Integers of the graph, as they are.
struct Integers {
  graph::TensorId id;
};
struct Addend {  // constants, one for all or one a channel, as they are
  std::vector<std::int32_t> numbers;
  Quantiser as;
};
// Numbers and quantised constants, of which onnxruntime makes one node of integers where a plain
// quantiser comes next: QLinearAdd or QLinearMul.
struct WithConstant {
  Addend constant;
  bool is_first = false;  // the constant is
  bool multiplies = false;
};
// A real number for each number of a tensor: of number lowest + i it is table[i]; without a table
// it is scale * (number - zero point).
struct Real {
  graph::TensorId id;
  std::vector<float> table = {};
  bool approximate = false;  // another library may compute the table's last bits otherwise
  float error = 0;           // and be so far away
  std::optional<WithConstant> node = {};  // that has made the table
};
struct Constant {
  std::shared_ptr<const Array> array;
};
// Integers less their zero points, with a scale for each index of an axis, or one for all.
struct Quantised {
  std::shared_ptr<const std::vector<std::int32_t>> numbers;
  std::vector<float> scales;
  int axis = 0;
  bool is_quant = false;  // by QONNX, whose arithmetic is that of real numbers
  bool is_float = false;  // float32 constants that are integers
  int zero_point = 0;     // that was taken off, where it is the same for all
};

// A function of one real number in float32, with a parameter for each channel or for all: one
// rounding each, and monotone.
struct Link {
  enum class Kind : std::uint8_t { plus, minus, from, times, over, at_least, at_most, leaky };
  Kind kind;
  std::vector<float> values;
};

// Results that are real numbers until a quantiser comes.
struct SumOf {  // of products: graph::Conv
  graph::TensorId in = 0;
  graph::Window window;
  int groups = 1;
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> bias;
  std::vector<float> scales;  // of the weights
  bool dense = false;         // of a vector
  std::vector<float> offset;  // a bias that is no integer, [out]; none: there is none
  float divisor = 1;          // of a mean
  float factor = 1;           // of the products, above 0: Gemm's alpha
  bool is_float = false;      // onnxruntime computes it in float32 whatever comes behind it
  std::optional<WithConstant> constant = {};  // the weights, of a product of numbers
  bool is_window = false;                     // a mean, of numbers that are read as they are
};
struct NumbersOf {  // a tensor, whose channels go through different functions
  graph::TensorId id = 0;
};
struct AddOf {
  graph::TensorId a = 0, b = 0;
  std::optional<WithConstant> constant = {};  // in place of b
};
struct AverageOf {
  graph::TensorId in = 0;
  bool in_float32 = false;  // added in an order that nobody knows
};
struct JoinOf {
  std::vector<Real> parts;
};
struct Pending {
  std::variant<SumOf, AddOf, AverageOf, JoinOf, NumbersOf> what;
  Dims made;         // its shape as it is computed; that of the value is after reshapes
  std::string node;  // that computes it
  // Clips that came behind it, and then other functions.
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  std::vector<Link> chain = {};
};
// Beyond what is computed here.
struct Host {
  graph::TensorId id;
};

struct Value {
  Dims dims;  // the first is that of the images, 1
  std::variant<Unknown, FloatInput, Integers, Real, Constant, Quantised, Pending, Host> is;
  Pads pads{};  // zeros around the rows and columns of Integers and Real; `dims` counts them
};

}  // namespace kumiki::gen::onnx
