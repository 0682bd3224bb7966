// SPDX-License-Identifier: Apache-2.0
// What each operator does, by family; table.cpp has them all.
#pragma once
#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {

// quantise.cpp
void quantize_linear(Call& call);
void dequantize_linear(Call& call);

// sums.cpp: convolutions and products of matrices
void conv(Call& call);
void gemm(Call& call);
void mat_mul(Call& call);
void q_linear_conv(Call& call);
void q_linear_mat_mul(Call& call);
void q_gemm(Call& call);
void conv_integer(Call& call);
void mat_mul_integer(Call& call);

// joins.cpp: of several tensors or of many numbers
void add(Call& call);
void concat(Call& call);
void max_pool(Call& call);
void average_pool(Call& call);
void global_average_pool(Call& call);
void reduce_mean(Call& call);
void q_linear_add(Call& call);
void q_linear_concat(Call& call);
void q_linear_global_average_pool(Call& call);
void q_linear_average_pool(Call& call);
void arg_max(Call& call);
void left_to_host(Call& call);

// shapes.cpp: the same numbers
void identity(Call& call);
void cast(Call& call);
void reshape(Call& call);
void flatten(Call& call);
void squeeze(Call& call);
void unsqueeze(Call& call);
void transpose(Call& call);
void pad(Call& call);
void constant(Call& call);
void shape(Call& call);
void gather(Call& call);

// unary.cpp: functions of one number
void relu(Call& call);
void clip(Call& call);
void leaky_relu(Call& call);
void sigmoid(Call& call);
void hard_sigmoid(Call& call);
void hard_swish(Call& call);
void tanh_of(Call& call);
void mul(Call& call);
void sub(Call& call);
void div(Call& call);
void q_linear_mul(Call& call);
void q_linear_sigmoid(Call& call);
void q_linear_leaky_relu(Call& call);

void batch_normalization(Call& call);

// qonnx.cpp: quantisers whose results are real numbers
void quant(Call& call);
void bipolar_quant(Call& call);
void trunc(Call& call);
void multi_threshold(Call& call);

// activations.cpp: more functions of one number
void elu(Call& call);
void celu(Call& call);
void selu(Call& call);
void softplus(Call& call);
void softsign(Call& call);
void thresholded_relu(Call& call);
void gelu(Call& call);
void mish(Call& call);
void erf(Call& call);
void exp_of(Call& call);
void abs_of(Call& call);
void neg(Call& call);
void p_relu(Call& call);

// unary.cpp, for sums too
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
