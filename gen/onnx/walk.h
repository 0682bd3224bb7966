// SPDX-License-Identifier: Apache-2.0
// Walks over the nodes of a model in order and builds the graph. A file of operators/ defines what
// a node does, with the functions declared here.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gen/onnx/import.h"
#include "gen/onnx/value.h"

namespace kumiki::gen::onnx {

// A node is refused; the text after the colon says what to do.
struct Stop {
  std::string problem;
};

class Walk {
 public:
  Walk(const Model& model, std::string name, Averages averages);
  Imported run();

  const Model& model() const { return model_; }
  Averages averages() const { return averages_; }
  // Images in a batch, as the model says; 1 if the model leaves it open.
  std::int64_t batch() const { return batch_; }
  const graph::Tensor& tensor(graph::TensorId id) const { return out_.graph.tensors[id]; }
  // The input of the model, vectors of its indices, or a rearrangement of such numbers: integers
  // whose scale and zero point are not yet known.
  bool is_open(graph::TensorId id) const { return open_.contains(id); }
  // `to` has numbers of `from` and its quantiser, known or not.
  void follows(graph::TensorId to, graph::TensorId from) {
    if (!is_open(from)) return;
    const graph::TensorId input = open_[from], other = open_.try_emplace(to, input).first->second;
    for (auto& [id, of] : open_)
      if (of == other) of = input;
  }
  void leave_open(graph::TensorId id) { open_[id] = id; }
  // The tensor of indices that pick from so many rows.
  graph::TensorId indices(const Value& value, std::int64_t rows);
  // An input of int64 or int32 whose values are used: a tensor of signed bytes.
  graph::TensorId integer_input(const Value& value);
  void note(const std::string& text);
  // How onnxruntime's QLinearAdd goes through a tensor and a constant of these dims.
  WithConstant::Loop loop_of(const Dims& constant, Dims of) const;

  graph::TensorId add_tensor(const std::string& name, graph::Shape shape, const Quantiser& q);
  graph::TensorId add_node(const std::string& name, graph::Operator op,
                           std::vector<graph::TensorId> inputs, graph::TensorId output);

  // The tensor of the integers, which represent real numbers by this quantiser. The quantiser of a
  // model's input is only known when the input is read.
  graph::TensorId seen(const Integers& integers, const Quantiser& q);
  // Quantises real numbers into a tensor of that name.
  graph::TensorId quantised(const Value& value, const Target& to, const std::string& name);
  graph::TensorId quantised(const Value& value, const Quantiser& q, const std::string& name) {
    return quantised(value, Target{q}, name);
  }
  // Unscaled integer sums, as numbers of 32 bits.
  Value whole_sums(const Value& value, const std::string& name);
  // The tensor of which this one is a function by tables alone, and the numbers of this one for
  // each number of that.
  struct Origin {
    graph::TensorId id;
    std::vector<std::int32_t> numbers;
  };
  Origin origin_of(graph::TensorId id);
  // Constants of the dims `of` as a tensor of `dims`: repeated along the axes of one place.
  graph::TensorId constants(const std::vector<std::int32_t>& numbers, const Dims& of,
                            const Dims& dims, const Quantiser& q, const std::string& name);
  // Results, repeated likewise.
  Value broadcast(const Value& value, const Dims& dims, const std::string& name);
  // A tensor of the dims `of`, likewise.
  graph::TensorId repeated(graph::TensorId id, const Dims& of, const Dims& dims,
                           const std::string& name);
  // The same numbers in another shape or another order, or some of them. `fill` is the number of
  // the tensor that stands where nothing is picked.
  Value reshaped(const Value& value, const Dims& dims, const std::string& name);
  Value transposed(const Value& value, const std::vector<int>& order, const std::string& name);
  Value picked(const Value& value, const Picks& picks, const std::string& name,
               std::int32_t fill = 0);
  // What a node makes of integers or of the real numbers that they represent, if every number of
  // the result is one of its inputs.
  Value moved(const Value& value, graph::Operator op, const Dims& dims, const std::string& node,
              const std::string& name);
  // A join of numbers with one quantiser needs no other one behind it.
  Value settled(const Value& value, const std::string& name);
  // The tensor in this shape.
  graph::TensorId shaped(graph::TensorId id, const Dims& dims, const std::string& name);
  // Quantised numbers behind functions of each one: the values, from that of the lowest number on,
  // for all channels or one channel after the other.
  struct Reals {
    graph::TensorId id;
    std::vector<float> values;
  };
  std::optional<Reals> reals_of(const Value& value, const std::string& name);
  // The same values as those of numbers that rise with them.
  Value ranked(const Value& value, const Reals& reals, const std::string& name);
  // Turns the zeros around the value into numbers of the tensor.
  Value padded(const Value& value, const std::string& name);
  // [images, channels, length] as a map of one row, and back (one_row.cpp). Padding stays padding.
  Value in_one_row(const Value& value, const std::string& name);
  Value without_row(const Value& value, const std::string& name);
  // Tokens, [..., channels], as a map [channels, 1, tokens], and such a map as tokens of these dims
  // (tokens.cpp).
  graph::TensorId map_of_tokens(graph::TensorId id, std::int64_t channels, const std::string& name);
  Value tokens_of_map(const Value& map, const Dims& dims, const std::string& name);
  // [images, heads, rows, columns], or without heads, as a map [heads x columns, 1, rows] or [heads
  // x rows, 1, columns]; and what makes such a map of rows as a value of these dims.
  graph::TensorId map_of_rows(graph::TensorId id, const Dims& dims, const std::string& name);
  graph::TensorId map_of_columns(graph::TensorId id, const Dims& dims, const std::string& name);
  Value rows_of_map(decltype(Pending::what) what, const Dims& dims, const std::string& node);
  // The place of this number in the tensor from which nodes move it, or that it is a function of.
  std::size_t place_before(graph::TensorId id, std::size_t place) const;

 private:
  friend struct Call;
  void ends();
  void input(std::size_t i);
  void run(const Node& node);
  void outputs();
  void merge_tables();
  void remove_unread_tables();
  std::string unique(std::string name);
  std::string label(const Node& node) const;
  graph::TensorId moved(graph::TensorId id, graph::Operator op, graph::Shape shape,
                        const std::string& name);
  // The same for dims that are not plain too.
  graph::TensorId placed(graph::TensorId id, graph::Operator op, const Dims& dims,
                         const std::string& name);
  // Refuses dims in which the images of a batch would be mixed.
  void require_images(const Dims& dims) const;
  graph::TensorId looked_up(const Real& real, const Target& to, const std::string& name);
  // The operations on the float input before its quantiser, applied to its numbers.
  Value behind(const FloatInput& input, graph::TensorId id, const std::string& name);
  // Sums through functions of their own for each channel, by the places where results begin
  // (steps.cpp).
  graph::TensorId stepped(const Pending& pending, const Dims& dims, const Target& to,
                          const std::string& name);
  graph::TensorId added_reals(const AddOf& add, const Pending& pending, const Target& to,
                              const std::string& name);
  graph::TensorId paired_reals(const PairOf& pair, const Pending& pending, const Target& to,
                               const std::string& name);
  graph::TensorId joined_reals(const JoinOf& join, const Pending& pending, const Target& to,
                               const std::string& name);
  // The mean of a window as onnxruntime's integer node computes it (means.cpp); empty: the request
  // is for the sum of integers, which does not determine the result.
  std::optional<graph::TensorId> averaged(const SumOf& sum, const Pending& pending,
                                          const Quantiser& q, const std::string& name);
  // A sum of products with these scales, one for each channel or one for all.
  graph::TensorId sum_node(const SumOf& sum, const Pending& pending, std::vector<float> scales,
                           const Quantiser& q, const std::string& name);
  // The results in their places and in this shape.
  graph::TensorId arranged(const Pending& pending, graph::TensorId id, const Dims& dims,
                           const std::string& name);
  graph::TensorId finished(const Pending& pending, const Dims& dims, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const SumOf& sum, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const AddOf& sum, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  // The results of onnxruntime's integer node for the numbers and one constant each: result
  // [channel], or one for all, [number - lowest].
  std::vector<std::vector<std::int32_t>> with_constant(graph::TensorId in, const WithConstant& node,
                                                       const Quantiser& q) const;
  graph::TensorId as_functions(graph::TensorId in,
                               const std::vector<std::vector<std::int32_t>>& functions,
                               const Pending& pending, const Quantiser& q, const std::string& name);
  graph::TensorId computed(const PairOf& pair, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const MatricesOf& product, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const SoftmaxOf& softmax, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const AverageOf& mean, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const NumbersOf& numbers, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  template <class Op>
  graph::TensorId computed(const NodeOf<Op>& node, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const JoinOf& join, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const EmbedOf& embed, const Pending& pending, const Quantiser& q,
                           const std::string& name);
  graph::TensorId computed(const PickOf& pick, const Pending& pending, const Quantiser& q,
                           const std::string& name);

  // Unscaled sums at the end of a model: the host multiplies them by one scale.
  std::optional<graph::TensorId> plain_sums(const Pending& pending, const Dims& dims,
                                            const std::string& name);

  const Model& model_;
  std::string name_;
  Averages averages_;
  Imported out_;
  std::int64_t batch_ = 1;
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, Value, std::less<>> padded_;  // values whose surrounding zeros have become
                                                      // numbers
  std::set<std::string, std::less<>> names_;          // of tensors in the graph
  // The inputs of the model, and the tensors of the graph that represent them.
  struct Input {
    graph::Shape shape = {};
    std::optional<graph::TensorId> tensor = {};
    std::vector<graph::Preparation> preparation = {};
  };
  std::vector<Input> inputs_;
  std::map<graph::TensorId, graph::TensorId> open_;  // tensors with the input that they come from
  std::set<graph::TensorId> passed_;                 // between a tensor and its origin
  std::set<graph::TensorId> loose_;                  // whose shape no reader knows yet
  std::vector<std::string> refusals_, refused_outputs_;  // of the model and its input; of outputs
  // Nodes with the same operator and problem, in the order of first occurrence.
  struct RefusedNodes {
    std::string op, problem;
    std::vector<std::string> labels;
  };
  std::vector<RefusedNodes> refused_nodes_;
  // Whether other nodes compute it from the input: neither a constant nor a refused node's result
  // from constants.
  bool is_result(const std::string& value) const;
  std::set<std::string, std::less<>> of_constants_;  // whose values are unknown
  std::optional<std::string> refused_whatever_comes(const Node& node, const std::string& op) const;
  std::string refusals() const;
};

// What is wrong with a node whose operands are both results of other nodes; empty: the operator
// allows two.
std::optional<std::string> refused_of_two_results(std::string_view op);

// A node while it is walked. A request for something missing stops the import of the node.
struct Call {
  Walk& walk;
  const Node& node;
  std::string label;          // names tensors and notes
  bool is_of_tokens = false;  // on_tokens made maps of its inputs

  std::size_t count() const { return node.inputs.size(); }
  bool has(std::size_t i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
  const Value& in(std::size_t i) const;      // must be plain
  const Value& any(std::size_t i) const;     // may have any shape, for operators that move numbers
  const Value& padded(std::size_t i) const;  // may also have padding around it
  std::string from(std::size_t i) const;     // "input 1 (w)"
  const std::string& name(std::size_t i) const { return node.inputs[i]; }
  const std::string& out() const { return node.outputs[0]; }
  void result(Value value, std::size_t i = 0);
  // Runs the reader of an operator on maps; those of one dimension become maps of one row.
  void on_maps(void (*reader)(Call&));
  // The same for tokens and a constant for each of their channels, the last axis.
  void on_tokens(void (*reader)(Call&));
  Value& made();       // the result given so far
  Real& made_real();   // the result given so far, a real number
  void approximate();  // notes that its table may differ in the last bit from another library's

  // Attributes. An attribute that no call asks for is refused at the end.
  std::int64_t integer(std::string_view name, std::int64_t otherwise);
  std::vector<std::int64_t> integers(std::string_view name, std::vector<std::int64_t> otherwise);
  float real(std::string_view name, float otherwise);
  std::string text(std::string_view name, std::string otherwise);
  const Attribute* attribute(std::string_view name);
  void ignore(std::string_view name) { asked.emplace(name); }

  const Array& constant(std::size_t i) const;
  // Real constants, including the results of DequantizeLinear.
  std::vector<float> constant_reals(std::size_t i) const;
  // Real constants for a value: one for each of its channels, or one for all.
  std::vector<float> channel_reals(std::size_t i, const Dims& of) const;
  std::vector<std::int64_t> constant_integers(std::size_t i) const;
  float constant_scale(std::size_t i) const;  // one float above 0
  // Integers of the graph, whatever they represent.
  const Integers& as_they_are(const Value& value, std::size_t i) const;
  // The same with their quantiser.
  graph::TensorId integers(const Value& value, std::size_t i, const Quantiser& q) const;
  graph::TensorId integers(std::size_t i, const Quantiser& q) const {
    return integers(in(i), i, q);
  }
  // Numbers of the graph that represent scale * (number - zero point).
  graph::TensorId numbers(const Value& value, std::size_t i) const;
  graph::TensorId numbers(std::size_t i) const { return numbers(in(i), i); }
  Quantised weights(std::size_t i) const;
  std::optional<Quantised> integer_weights(std::size_t i) const;  // empty: they are none
  // The quantiser with its scale at input i and its zero point, if any, at the next input.
  Quantiser quantiser(std::size_t i) const;

  std::set<std::string, std::less<>> asked = {};
};

// x / scale in float32, rounded to the nearest, ties to even, plus the zero point, clamped to the
// format.
std::int32_t quantise(float x, const Quantiser& q);
graph::Tensor alike(const Quantiser& q);  // a tensor with this quantiser, without a name
float dequantise(std::int32_t number, const Quantiser& q);
// Whether larger numbers never become smaller ones, in any channel.
bool rises(const std::vector<Link>& chain);
bool rises(const std::vector<float>& reals, const graph::Tensor& of);
// The sum of a window in each channel, as a convolution with ones, and its divisor.
SumOf mean_of(graph::TensorId in, std::int64_t channels, const graph::Window& window);
std::int32_t number_of(float x, const Target& to, std::size_t channel = 0);
arith::Interval numbers_of(const Target& to);  // the range of the target
// Whether a constant of that shape has one number for each channel and no other axis.
bool is_of_channels(const Dims& constant, const Dims& of);
void require_scales(const std::vector<float>& scales, const std::string& of);  // must be finite and
                                                                               // above 0
// Zero points of bytes must have the numbers' type; constants may have been widened on the way.
void require_alike(Type zero, Type numbers, const char* what);
// The table of a tensor that has none yet.
std::vector<float> table_of(const graph::Tensor& tensor);
// The shape of a tensor of the graph: axes of valid size, without the axis of images.
graph::Shape shape_of(const Dims& dims);
graph::Format format_of(Type type);  // of integers up to 32 bits

// The model with double quantisation merged into one (merged.cpp); empty: there is none.
std::optional<Model> merged_quantisers(const Model& model);

using Handler = void (*)(Call&);
struct Row {
  Supported what;
  Handler run;
};
// By name with its domain: "Conv", "com.microsoft.QLinearAdd"; null: not supported.
const Row* row_of(std::string_view op);

}  // namespace kumiki::gen::onnx
