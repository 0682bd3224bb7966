// SPDX-License-Identifier: Apache-2.0
// The operators of a network. A new operator is a folder here, its header below and its name in the
// list; README.md describes the files of the folder.
#pragma once
#include <variant>

#include "gen/operators/add/meaning.h"
#include "gen/operators/arg_max/meaning.h"
#include "gen/operators/average_pool/meaning.h"
#include "gen/operators/concat/meaning.h"
#include "gen/operators/constant/meaning.h"
#include "gen/operators/conv/meaning.h"
#include "gen/operators/conv_transpose/meaning.h"
#include "gen/operators/embed/meaning.h"
#include "gen/operators/global_average/meaning.h"
#include "gen/operators/interpolate/meaning.h"
#include "gen/operators/layer_norm/meaning.h"
#include "gen/operators/lookup/meaning.h"
#include "gen/operators/matmul/meaning.h"
#include "gen/operators/max_pool/meaning.h"
#include "gen/operators/mul/meaning.h"
#include "gen/operators/pick/meaning.h"
#include "gen/operators/reshape/meaning.h"
#include "gen/operators/resize/meaning.h"
#include "gen/operators/softmax/meaning.h"
#include "gen/operators/thresholds/meaning.h"
#include "gen/operators/transpose/meaning.h"

namespace kumiki::gen::graph {

using Operator = std::variant<Conv, Add, MaxPool, GlobalAverage, Lookup, Concat, Reshape, Transpose,
                              ArgMax, Thresholds, AveragePool, Resize, Interpolate, Mul, Pick,
                              Embed, ConvTranspose, Constant, MatMul, Softmax, LayerNorm>;
std::string_view name_of(const Operator& op);  // "conv"
std::string with_article(const Operator& op);  // "a conv", "an add"
bool hands_on(const Operator& op);             // every number of the result is a number of an input
bool is_free(const Operator& op);              // the same numbers in the same order: no work
// Why the array leaves nodes of this operator to the host.
std::string_view left_to_host(const Operator& op);
// The window among its fields; null if it has none.
const Window* window_of(const Operator& op);

// One of each, with default fields.
std::vector<Operator> all_operators();

}  // namespace kumiki::gen::graph
