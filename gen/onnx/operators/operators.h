// SPDX-License-Identifier: Apache-2.0
// What the readers of operators share, and those that make no node of the graph. The others are in
// gen/operators/NAME/onnx.cpp.
#pragma once
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {

// quantise.cpp
void quantize_linear(Call& call);
void dequantize_linear(Call& call);

// shapes.cpp: the same numbers, and constants
void identity(Call& call);
void cast(Call& call);
void pad(Call& call);
void constant(Call& call);
void shape(Call& call);
void gather(Call& call);
void left_to_host(Call& call);

// qonnx.cpp: quantisers whose results are real numbers
void quant(Call& call);
void bipolar_quant(Call& call);
void trunc(Call& call);
void multi_threshold(Call& call);

// A result between quantisers of its own: what waited for it is made.
void finish_join(Call& call, Pending pending, const Dims& dims, const Quantiser& q);
void require_map(const Dims& dims);
std::int64_t axis_of(Call& call, std::int64_t otherwise, const Dims& dims);
Pending average_of(Call& call, graph::TensorId in, const Dims& made);
bool has_images(const Value& value);  // its first axis is that of the images

std::vector<Row> activations();  // the rest of the forms of Lookup

// gen/operators/lookup/onnx.cpp, for sums too
bool is_constant(const Value& value);
bool linked(Call& call, std::size_t i, Link link);
// Input i and the other one, a constant; of two constants a third.
void with_constant(Call& call, Link::Kind kind, std::size_t i);
void folded(Call& call, Link::Kind kind);

// A function of numbers that are quantised; refused where they are not.
void apply(Call& call, float (*function)(float, float), float parameter = 0,
           bool approximate = false, std::size_t i = 0);
// A number for each channel, or for all, on the real numbers of the input: the host does it.
bool prepared(Call& call, std::size_t i, const Link& link);

// Every number of input i through a function, if its numbers are quantised; false: they are not.
bool through(Call& call, std::size_t i, float (*function)(float, float), float parameter);

}  // namespace kumiki::gen::onnx
