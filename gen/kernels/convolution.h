// SPDX-License-Identifier: Apache-2.0
// A convolution with vector instructions: the same numbers as by its definition
// (gen/operators/conv/meaning.cpp), many at a time.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

#include "gen/arith/float_rule.h"
#include "gen/kernels/planes.h"
#include "gen/kernels/workers.h"

namespace kumiki::gen::kernels {

struct ConvolutionJob {
  Taps taps;
  int groups = 1;
  int channels = 1;                         // of the map
  std::int32_t zero_point = 0;              // of the map
  arith::Interval numbers;                  // of the map
  std::span<const std::int16_t> weights;    // [result][channel of the group][row][column]
  std::span<const std::int32_t> bias;       // one for each result
  std::span<const arith::FloatRule> rules;  // one for each result
};

// Computes the results of a map, whose sums wrap around in 32 bits. Empty: this processor or these
// numbers do not allow it. The job is read here alone. Bytes are multiplied with VNNI, if
// `with_vnni`.
using Convolution =
    std::function<void(const std::int32_t* map, std::int32_t* results, Workers& workers)>;
Convolution fast_convolution(const ConvolutionJob& job, bool with_vnni);

}  // namespace kumiki::gen::kernels
