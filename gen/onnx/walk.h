// SPDX-License-Identifier: Apache-2.0
// The nodes of a model one after the other, and the graph that grows from them. A file of
// operators/ says what a node does; this is what it says it with.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gen/onnx/import.h"
#include "gen/onnx/value.h"

namespace kumiki::gen::onnx {

// A node is refused; what to do about it stands behind the colon.
struct Stop {
  std::string problem;
};

class Walk {
 public:
  Walk(const Model& model, std::string name, Averages averages);
  Imported run();

  const Model& model() const { return model_; }
  // Images at once, as the model says: 1 where it leaves that open.
  std::int64_t batch() const { return batch_; }
  const graph::Tensor& tensor(graph::TensorId id) const { return out_.graph.tensors[id]; }
  // The input of the model, or its numbers in other places: integers whose scale and zero point
  // nobody has said yet.
  bool is_open(graph::TensorId id) const { return open_.contains(id); }
  // `to` has numbers of `from`, and its quantiser, whatever that will be.
  void follows(graph::TensorId to, graph::TensorId from) {
    if (is_open(from)) open_.insert(to);
  }
  void note(const std::string& text);

  graph::TensorId add_tensor(const std::string& name, graph::Shape shape, const Quantiser& q);
  graph::TensorId add_node(const std::string& name, graph::Operator op,
                           std::vector<graph::TensorId> inputs, graph::TensorId output);

  // The tensor of integers, which stand for real numbers by this quantiser: that of the input of a
  // model is known only when it is read.
  graph::TensorId seen(const Integers& integers, const Quantiser& q);
  // Real numbers as integers, in a tensor of that name.
  graph::TensorId quantised(const Value& value, const Target& to, const std::string& name);
  graph::TensorId quantised(const Value& value, const Quantiser& q, const std::string& name) {
    return quantised(value, Target{q}, name);
  }
  // Sums of integers as they are, as numbers of 32 bits.
  Value whole_sums(const Value& value, const std::string& name);
  // The same numbers in another shape, or in another order.
  Value reshaped(const Value& value, const Dims& dims, const std::string& name);
  Value transposed(const Value& value, const std::vector<int>& order, const std::string& name);
  // With the zeros around it as numbers of its own.
  Value padded(const Value& value, const std::string& name);

 private:
  friend struct Call;
  void ends();
  void run(const Node& node);
  void outputs();
  std::string unique(std::string name);
  std::string label(const Node& node) const;
  graph::TensorId moved(graph::TensorId id, graph::Operator op, graph::Shape shape,
                        const std::string& name);
  graph::TensorId looked_up(const Real& real, const Target& to, const std::string& name);
  // What was done to the float input before its quantiser, of its numbers.
  Value behind(const FloatInput& input, graph::TensorId id, const std::string& name);
  // Sums through functions of their own for each channel, by where results begin (steps.cpp).
  graph::TensorId stepped(const Pending& pending, const Dims& dims, const Target& to,
                          const std::string& name);
  graph::TensorId added_reals(const AddOf& add, const Pending& pending, const Target& to,
                              const std::string& name);
  graph::TensorId joined_reals(const JoinOf& join, const Pending& pending, const Target& to,
                               const std::string& name);
  // The mean of a window as onnxruntime's node of integers has it (means.cpp); nothing: the sum of
  // integers is asked for, and it does not say all.
  std::optional<graph::TensorId> averaged(const SumOf& sum, const Pending& pending,
                                          const Quantiser& q, const std::string& name);
  // A sum of products with these scales, one a channel or one for all.
  graph::TensorId sum_node(const SumOf& sum, const Pending& pending, std::vector<float> scales,
                           const Quantiser& q, const std::string& name);
  graph::TensorId finished(const Pending& pending, const Dims& dims, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const SumOf& sum, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const AddOf& sum, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  // What onnxruntime's node of integers makes of the numbers and a constant each: result [channel],
  // or one for all, [number - lowest].
  std::vector<std::vector<std::int32_t>> with_constant(graph::TensorId in, const WithConstant& node,
                                                       const Quantiser& q) const;
  graph::TensorId as_functions(graph::TensorId in,
                               const std::vector<std::vector<std::int32_t>>& functions,
                               const Pending& pending, const Quantiser& q, const std::string& name);
  graph::TensorId computed(const AverageOf& mean, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const NumbersOf& numbers, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const JoinOf& join, const Pending& pending, const Quantiser& q,
                           const std::string& name);

  // Sums as they are, at the end of a model: a host multiplies them with one scale.
  std::optional<graph::TensorId> plain_sums(const Pending& pending, const Dims& dims,
                                            const std::string& name);

  const Model& model_;
  std::string name_;
  Averages averages_;
  Imported out_;
  std::int64_t batch_ = 1;
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, Value, std::less<>> padded_;  // those with zeros around them, made
  std::set<std::string, std::less<>> names_;          // of tensors of the graph
  graph::Shape input_shape_;
  bool has_input_ = false;  // a tensor of the graph stands for it
  std::set<graph::TensorId> open_;
  std::vector<std::string> refusals_, refused_outputs_;  // of the model and its input; of outputs
  // Of nodes that have the same operator and problem, in the order of the first ones.
  struct RefusedNodes {
    std::string op, problem;
    std::vector<std::string> labels;
  };
  std::vector<RefusedNodes> refused_nodes_;
  // Whether other nodes make it of the input: not a constant, nor what a refused node makes of
  // some.
  bool is_result(const std::string& value) const;
  std::set<std::string, std::less<>> of_constants_;  // unknown ones
  std::optional<std::string> refused_whatever_comes(const Node& node, const std::string& op) const;
  std::string refusals() const;
};

// What is wrong with a node whose operands are both results of other nodes; nothing: the operator
// may have two.
std::optional<std::string> refused_of_two_results(std::string_view op);

// A node while it is walked. What asks for something that is not there stops it.
struct Call {
  Walk& walk;
  const Node& node;
  std::string label;  // for names of tensors and for notes

  std::size_t count() const { return node.inputs.size(); }
  bool has(std::size_t i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
  const Value& in(std::size_t i) const;      // without padding around it
  const Value& padded(std::size_t i) const;  // with it, for those who know what to do
  std::string from(std::size_t i) const;     // "input 1 (w)"
  const std::string& out() const { return node.outputs[0]; }
  void result(Value value);
  Value& made();       // the result that was given
  Real& made_real();   // the result that was given, a real number
  void approximate();  // its table may differ in the last bit from another library's

  // Attributes; one that nobody asks for is refused in the end.
  std::int64_t integer(std::string_view name, std::int64_t otherwise);
  std::vector<std::int64_t> integers(std::string_view name, std::vector<std::int64_t> otherwise);
  float real(std::string_view name, float otherwise);
  std::string text(std::string_view name, std::string otherwise);
  const Attribute* attribute(std::string_view name);
  void ignore(std::string_view name) { asked.emplace(name); }

  const Array& constant(std::size_t i) const;
  // Constants that are real numbers, also such as come out of a DequantizeLinear.
  std::vector<float> constant_reals(std::size_t i) const;
  // The same, of a value: one for each of its channels, or one for all.
  std::vector<float> channel_reals(std::size_t i, const Dims& of) const;
  std::vector<std::int64_t> constant_integers(std::size_t i) const;
  float constant_scale(std::size_t i) const;  // one float above 0
  // Integers of the graph, whatever they stand for.
  const Integers& as_they_are(const Value& value, std::size_t i) const;
  // The same with their quantiser.
  graph::TensorId integers(const Value& value, std::size_t i, const Quantiser& q) const;
  graph::TensorId integers(std::size_t i, const Quantiser& q) const {
    return integers(in(i), i, q);
  }
  // Numbers of the graph that stand for scale * (number - zero point).
  graph::TensorId numbers(const Value& value, std::size_t i) const;
  graph::TensorId numbers(std::size_t i) const { return numbers(in(i), i); }
  Quantised weights(std::size_t i) const;
  // The quantiser whose scale is input i and whose zero point is the next one, if it is there.
  Quantiser quantiser(std::size_t i) const;

  std::set<std::string, std::less<>> asked = {};
};

// x / scale in float32, to the nearest, ties to even, plus the zero point, within the format.
std::int32_t quantise(float x, const Quantiser& q);
graph::Tensor alike(const Quantiser& q);  // a tensor of it, without a name
float dequantise(std::int32_t number, const Quantiser& q);
// The sum of a window in each channel, as a convolution with ones, and its divisor.
SumOf mean_of(graph::TensorId in, std::int64_t channels, const graph::Window& window);
std::int32_t number_of(float x, const Target& to, std::size_t channel = 0);
arith::Interval numbers_of(const Target& to);  // that it gives
// Whether a constant of that shape has one number for each channel, and no other axis.
bool is_of_channels(const Dims& constant, const Dims& of);
void require_scales(const std::vector<float>& scales, const std::string& of);  // finite, above 0
// Zero points of bytes are of their type; constants may have come here in a wider one.
void require_alike(Type zero, Type numbers, const char* what);
// The table of a tensor without one.
std::vector<float> table_of(const graph::Tensor& tensor);
// Of a tensor of the graph: axes of a legal size, without that of the images.
graph::Shape shape_of(const Dims& dims);
graph::Format format_of(Type type);  // of integers up to 32 bits

// The model with what is quantised twice quantised once (merged.cpp); nothing: there is none.
std::optional<Model> merged_quantisers(const Model& model);

using Handler = void (*)(Call&);
struct Row {
  Supported what;
  Handler run;
};
// By name with the domain in front: "Conv", "com.microsoft.QLinearAdd"; nothing: not supported.
const Row* row_of(std::string_view op);

}  // namespace kumiki::gen::onnx
