// SPDX-License-Identifier: Apache-2.0
// A trained network as integers: tensors of numbers of few bits, and operators defined for integers
// only. Every machine is compared with it, and it is compared with onnxruntime.
//
// Tensors and operators are in gen/operators.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gen/operators/operators.h"

namespace kumiki::gen::graph {

using TensorId = std::size_t;

struct Node {
  std::string name;
  Operator op;
  std::vector<TensorId> inputs;
  TensorId output = 0;
  friend bool operator==(const Node&, const Node&) = default;
};

// A step of the host's preprocessing of real inputs before it quantises them, in float32: one
// number for each channel of the input, or one for all.
struct Preparation {
  enum class Kind : std::uint8_t { plus, minus, from, times, over };
  Kind kind = Kind::plus;
  std::vector<float> values;
  std::size_t input = 0;  // which of the inputs
  friend bool operator==(const Preparation&, const Preparation&) = default;
};
std::string_view name_of(Preparation::Kind kind);  // "minus"

struct Graph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;  // each after those whose results it reads
  TensorId input = 0;
  std::vector<Preparation> preparation = {};  // applied in order
  std::vector<TensorId> outputs;
  std::vector<TensorId> more_inputs = {};  // behind the first one
  friend bool operator==(const Graph&, const Graph&) = default;
};

// All errors of a graph, a node or a tensor, in order. If there are none, the interpreter and every
// machine may rely on shapes, counts and ranges.
struct Finding {
  std::string where;    // "node conv1", "tensor x"
  std::string message;  // "has 9 weights; it must have 27"
  friend bool operator==(const Finding&, const Finding&) = default;
};
std::vector<Finding> check(const Graph& graph);
void require_legal(const Graph& graph);  // DesignError with all of them

// All inputs. An image has the numbers of all of them, one input behind the other.
std::vector<TensorId> all_inputs(const Graph& graph);
std::size_t numbers_of_image(const Graph& graph);
// The numbers that an input may have: those of its format, or less if they are indices.
arith::Interval numbers_of_input(const Graph& graph, TensorId input);

// The tensors of a node.
Ends ends_of(const Graph& graph, const Node& node);

// The rules that turn the sums of a Conv or GlobalAverage into numbers, one for each channel.
std::vector<arith::FloatRule> rules_of(const Graph& graph, const Node& node);
// The range of every tensor: that of its format, or a smaller one after tables and thresholds.
// `reached_by` computes the range of a node's result from those of its inputs.
std::vector<arith::Interval> reached_numbers(const Graph& graph);
arith::Interval reached_by(const Graph& graph, const Node& node,
                           const std::vector<arith::Interval>& numbers);
// The range of each channel's sums, bias included, from its weights and the range of its input.
std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node);
std::vector<arith::Interval> reachable_of(const Graph& graph, const Node& node,
                                          const std::vector<arith::Interval>& numbers);

}  // namespace kumiki::gen::graph
