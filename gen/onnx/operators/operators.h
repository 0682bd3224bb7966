// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the readers of operators, and the operators that make no node of the
// graph. The others are in gen/operators/NAME/onnx.cpp.
#pragma once
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {

// quantise.cpp
void quantize_linear(Call& call);
void dequantize_linear(Call& call);

// shapes.cpp: unchanged numbers, and constants
void identity(Call& call);
void cast(Call& call);
void constant(Call& call);
void shape(Call& call);
void size(Call& call);
void of_constants_only(Call& call);
void left_to_host(Call& call);

// qonnx.cpp: quantisers whose results are real numbers
void quant(Call& call);
void bipolar_quant(Call& call);
void trunc(Call& call);
void multi_threshold(Call& call);

// A result between quantisers: makes the pending node with its quantiser.
void finish_join(Call& call, Pending pending, const Dims& dims, const Quantiser& q);
void require_map(const Dims& dims);
// Sorted, from 0 on; an input (newer opsets) or an attribute. Throws if one is none of `rank` axes.
std::vector<std::int64_t> axes_of(Call& call, std::size_t rank);
// A reader of maps that reads those of one dimension, too.
template <void (*reader)(Call&)>
void on_maps(Call& call) {
  call.on_maps(reader);
}
// A reader of a value and constants for its channels that reads those of the last axis, too.
template <void (*reader)(Call&)>
void on_tokens(Call& call) {
  call.on_tokens(reader);
}
// Of the results of a node that repeats each of them along the axes in which it has one place.
Dims shape_of_both(const Dims& first, const Dims& other);
std::int64_t axis_of(Call& call, std::int64_t otherwise, const Dims& dims);
// The field `integers` of operators that onnxruntime computes in float32: 1 with --averages sums,
// and a note.
int in_integers(Call& call);
Pending average_of(Call& call, graph::TensorId in, const Dims& made);
// gen/operators/matmul/onnx.cpp
void product_of_results(Call& call);
void q_product_of_results(Call& call);
bool embedded(Call& call);  // Gather of a table by an input of indices
// The mean of windows of a function's values; false: the input is no function of numbers.
bool averaged_reals(Call& call, const std::vector<std::int64_t>& kernel);
bool has_images(const Value& value);  // its first axis is the axis of images

std::vector<Row> activations();  // the other forms of Lookup

// gen/operators/lookup/onnx.cpp, also for sums
bool is_constant(const Value& value);
bool linked(Call& call, std::size_t i, Link link);
// Combines input i with the other input, a constant; folds two constants into a third.
void with_constant(Call& call, Link::Kind kind, std::size_t i);
// Numbers times quantised constants of the shape `of`.
Value scaled(Call& call, graph::TensorId in, const Dims& dims, const Quantised& w, const Dims& of);

// Whether the constants are one number, or one for each channel.
bool is_one_or_channels(const Dims& constant, const Dims& of);

// gen/operators/mul/onnx.cpp: a function of two results, or of one and constants.
void paired(Call& call, float (*function)(float, float), bool multiplies = false);

// Applies a function to quantised numbers; refuses others.
void apply(Call& call, float (*function)(float, float), float parameter = 0,
           bool approximate = false, std::size_t i = 0);
// Leaves the step to the host if it applies one number for each channel, or one for all, to the
// real input.
bool prepared(Call& call, std::size_t i, const Link& link);

// Applies a function to every number of input i; false: its numbers are not quantised.
bool through(Call& call, std::size_t i, float (*function)(float, float), float parameter);

}  // namespace kumiki::gen::onnx
