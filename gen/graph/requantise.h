// SPDX-License-Identifier: Apache-2.0
// How the sums of a node become numbers in hardware, channel by channel. Each channel takes the
// cheapest of three forms that equals onnxruntime for every sum that it can reach.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "ir/arch.h"

namespace kumiki::gen::graph {

// From the cheapest to the most expensive.
enum class Form : std::uint8_t {
  shift,   // a factor of 1: wires
  factor,  // an integer factor, an offset and a shift: one product
  product  // as `factor`, but the product is first rounded to 24 bits, as in float32
};
std::string to_string(Form form);

struct Requantiser {
  Form form = Form::shift;
  arith::Interval sums;  // sums that occur
  // For `shift` and `factor` the whole rule; for `product` only the zero point and the range.
  arith::IntegerRule rule;
  int sum_bits() const;     // with the sign
  int factor_bits() const;  // without one
  friend bool operator==(const Requantiser&, const Requantiser&) = default;
};

// Whether every sum already is its result, in float32 and in the result's range.
bool is_as_it_is(const arith::FloatRule& rule, const arith::Interval& sums);

// One for each channel of Conv and GlobalAverage; empty for others. The graph must be valid.
std::vector<Requantiser> requantisers(const Graph& graph, const Node& node,
                                      int most_factor_bits = ir::arch::dsp48e2.factor_bits());

// The result of the form, with integers only; its reference is arith::requantised.
std::int64_t requantised(const Requantiser& plan, const arith::FloatRule& rule, std::int32_t sum);

// "16 channels, sums of up to 15 bits; 1 shifted, 15 with factors of up to 19 bits: equal to
// onnxruntime for every reachable sum".
std::string summary(const std::vector<Requantiser>& all);

}  // namespace kumiki::gen::graph
