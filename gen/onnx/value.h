// SPDX-License-Identifier: Apache-2.0
// What a name of an ONNX model represents while its nodes are walked: numbers of the graph, real
// numbers that are functions of them, constants, and results that wait for their quantiser.
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
#include "gen/onnx/layout.h"
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

// Which arithmetic makes the integer. linear: that of ONNX. quant: QONNX' Quant (x / scale + zero
// point, clamped first). bipolar: 1 from 0 on and -1 below. truncated: QONNX' Trunc (rounded to
// integers by one quantiser, divided, and rounded again). counted: the number of thresholds that a
// value has reached.
enum class Rule : std::uint8_t { linear, quant, bipolar, truncated, counted };
struct Target {
  Quantiser as;
  Rule rule = Rule::linear;
  bool narrow = false;                 // leaves out one extreme, so that the range is symmetric
  float (*rounding)(float) = nullptr;  // for quant and truncated; null: to the nearest, ties to
                                       // even
  // For truncated.
  float first_scale = 1, first_zero_point = 0, divisor = 1;
  bool clamps = true;  // otherwise numbers outside the format are refused
  // For counted: number = lowest + factor * count. Thresholds rise; each channel has its own, or
  // all share one list.
  int lowest = 0, factor = 1;
  std::shared_ptr<const std::vector<std::vector<float>>> thresholds = {};
};

using Pads = std::array<int, 4>;  // top, left, bottom, right

// For each axis the places that are picked, in order; -1 stands for a number that is no place's.
using Picks = std::vector<std::vector<std::int64_t>>;
struct Picked {
  Picks picks;
  float with = 0;  // the number that is no place's
};

// Nothing is known about it: the node that makes it was refused.
struct Unknown {};
// The float input of the model before its quantiser, and the steps on the way: a shape, an order of
// axes, a pool, bounds. A quantiser is monotone and works number by number, so all of these steps
// can follow it instead.
struct Bounds {
  float low, high;
};
struct FloatInput {
  using Step = std::variant<Dims, std::vector<int>, graph::MaxPool, Bounds, Pads, Picked>;
  std::vector<Step> steps = {};
  std::vector<graph::Preparation> preparation = {};  // done by the host before the steps
  std::size_t input = 0;                             // which one of the model
};
// Integers of the graph, unscaled.
struct Integers {
  graph::TensorId id;
};
// An input of indices, whose tensor has as many numbers as the tables that it picks from.
struct Indices {
  std::size_t input = 0;  // which one of the model
};
struct Addend {  // integer constants, one for all or one for each channel
  std::vector<std::int32_t> numbers;
  Quantiser as;
};
// Numbers and quantised constants. If a plain quantiser comes next, onnxruntime fuses them into one
// integer node: QLinearAdd or QLinearMul.
struct WithConstant {
  Addend constant;
  bool is_first = false;  // the constant is the first operand
  bool multiplies = false;
  // What onnxruntime's innermost loop goes along: both operands, one number for many, or pairs of
  // single numbers.
  enum class Loop : std::uint8_t { both, one_for_many, pairs } loop = Loop::both;
};
// The product of two tensors that are functions of one. It is also fused, to QLinearMul.
struct ProductOf {
  graph::TensorId a = 0, b = 0;
};
// A real number for each number of a tensor: number lowest + i is table[i]. Without a table it is
// scale * (number - zero point).
struct Real {
  graph::TensorId id;
  std::vector<float> table = {};
  bool approximate = false;  // another library may compute other last bits of the table
  float error = 0;           // the most by which it may then differ
  std::variant<std::monostate, WithConstant, ProductOf> node = {};  // that made the table
};
struct Constant {
  std::shared_ptr<const Array> array;
};
// Integers minus their zero points, with a scale for each index of an axis, or one for all.
struct Quantised {
  std::shared_ptr<const std::vector<std::int32_t>> numbers;
  std::vector<float> scales;
  int axis = 0;
  bool is_quant = false;  // from QONNX, which computes with real numbers
  bool is_float = false;  // float32 constants with integer values
  int zero_point = 0;     // already subtracted; only if it is the same for all
};

// A monotone function of one real number in float32 that rounds once; its parameter is one for each
// channel or one for all.
struct Link {
  enum class Kind : std::uint8_t { plus, minus, from, times, over, at_least, at_most, leaky };
  Kind kind;
  std::vector<float> values;
};

// Results that stay real numbers until a quantiser comes.
struct SumOf {  // a sum of products: graph::Conv
  graph::TensorId in = 0;
  graph::Window window;
  int groups = 1;
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> bias;
  std::vector<float> scales;  // of the weights
  bool dense = false;         // of a vector, not a map
  std::vector<float> offset;  // a bias that is not an integer, [out]; empty: there is none
  float divisor = 1;          // for a mean
  float factor = 1;           // of the products, positive: Gemm's alpha
  bool is_float = false;      // onnxruntime computes it in float32, whatever follows
  std::optional<WithConstant> constant = {};  // the weights, if it multiplies numbers by constants
  bool is_window = false;                     // a mean of unscaled numbers
  bool needs_quantiser = false;               // its weights are float32, quantised here
  // The same in onnxruntime's float32, whose last bits depend on the order of additions.
  std::shared_ptr<const graph::ConvTranspose> in_float32 = {};
};
struct NumbersOf {  // a tensor whose channels go through different functions
  graph::TensorId id = 0;
  // What its numbers stand for, from the lowest on, one channel after the other; it rises in each.
  // Empty: scale * (number - zero point).
  std::vector<float> reals = {};
};
struct AddOf {
  graph::TensorId a = 0, b = 0;
  std::optional<WithConstant> constant = {};  // instead of b
};
// A function of two tensors, number by number.
struct PairOf {
  float (*function)(float, float) = nullptr;
  Real a, b;
  bool multiplies = false;  // may be fused to QLinearMul
};
struct MatricesOf {  // the product of two maps
  graph::TensorId a = 0, b = 0;
  graph::MatMul op = {};
};
struct AverageOf {
  graph::TensorId in = 0;
  bool in_float32 = false;
  Layout layout = Layout::unknown;  // decides the order of additions in float32
};
// One node of float32 arithmetic.
template <class Op>
struct NodeOf {
  static constexpr bool is_exact = true;  // also if it is clipped before it is quantised
  graph::TensorId in = 0;
  Op op;
};
using MeanOf = NodeOf<graph::AveragePool>;
using BetweenOf = NodeOf<graph::Interpolate>;
using SpreadOf = NodeOf<graph::ConvTranspose>;
using SoftmaxOf = NodeOf<graph::Softmax>;
using NormalOf = NodeOf<graph::LayerNorm>;
struct EmbedOf {  // the vectors of indices, real numbers
  static constexpr bool is_exact = true;
  graph::TensorId in = 0;
  int size = 1;
  std::vector<float> reals;
};
struct ConstantPart {
  std::vector<float> values;
  Dims dims;
};
struct JoinOf {
  std::vector<std::variant<Real, FloatInput, ConstantPart>> parts;
  graph::Concat op;
};
struct PickOf {  // with a real number that the quantiser makes one of its own
  Real from;
  Dims dims;  // of what it picks from
  Picked picked;
};
// Channels that become pixels, of which some are the result; without picks all of them, without an
// order in the places where they are. Their axes may then be turned.
struct Spread {
  graph::Transpose order;
  Dims pixels;
  Picks picks;
  struct Turn {
    Dims dims;
    std::vector<int> order;
  };
  std::optional<Turn> turn = {};
};
struct Pending {
  std::variant<SumOf, AddOf, PairOf, MatricesOf, AverageOf, MeanOf, BetweenOf, SpreadOf, SoftmaxOf,
               NormalOf, EmbedOf, JoinOf, NumbersOf, PickOf>
      what;
  Dims made;         // the computed shape; the value's own shape is after reshapes
  std::string node;  // the node that computes it
  // Clips that followed it, and then other functions.
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  std::vector<Link> chain = {};
  std::optional<Spread> spread = {};  // of the quantised results
};
// Computed by the host, not by the graph.
struct Host {
  graph::TensorId id;
};

// Images first, and then at most three axes, as tensors of the graph have them.
bool is_plain(const Dims& dims);

struct Value {
  // The first is the axis of images, 1. Between operators that move numbers it may be in another
  // place, and there may be more axes; a tensor then has its numbers in another shape.
  Dims dims;
  std::variant<Unknown, FloatInput, Integers, Indices, Real, Constant, Quantised, Pending, Host> is;
  Pads pads{};  // zeros around the rows and columns of Integers and Real; `dims` includes them
};

}  // namespace kumiki::gen::onnx
