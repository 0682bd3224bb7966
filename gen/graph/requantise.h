// SPDX-License-Identifier: Apache-2.0
// How the sums of a node become numbers in hardware, channel by channel. Each channel takes the
// cheapest of three forms that equals onnxruntime for every sum that it can reach.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/arith/channel_rule.h"
#include "gen/arith/rounding.h"
#include "gen/graph/graph.h"
#include "ir/arch.h"

namespace kumiki::gen::graph {

// From the cheapest to the most expensive.
enum class Form : std::uint8_t {
  shift,   // a factor of 1: wires
  factor,  // an integer factor, an offset and a shift: one product
  product  // onnxruntime's rule itself: the product is first rounded to 24 bits, as in float32
};
std::string to_string(Form form);

struct Requantiser {
  Form form = Form::shift;
  arith::Interval sums;     // sums that occur
  arith::SlicedRule rule;   // not for `product`
  int sum_bits() const;     // with the sign
  int factor_bits() const;  // without one
  Rounding rounding() const { return rule.even ? Rounding::half_even : Rounding::down; }
  std::int64_t offset() const;  // of the rule, without the zero point and without half a result for
                                // ties to even
  friend bool operator==(const Requantiser&, const Requantiser&) = default;
};

// Whether every sum already is its result, in float32 and in the result's range.
bool is_as_it_is(const arith::FloatRule& rule, const arith::Interval& sums);

// One for each channel of Conv and GlobalAverage; empty for others. The graph must be valid.
std::vector<Requantiser> requantisers(const Graph& graph, const Node& node,
                                      int most_factor_bits = ir::arch::dsp48e2.factor_bits());

// "(acc * 5 + 8) >> 4, + 3, in [0, 255]", "product rounded to 24 bits".
std::string to_string(const Requantiser& plan);

// "16 channels, sums of up to 15 bits; 1 shifted, 15 with factors of up to 19 bits: equal to
// onnxruntime for every reachable sum".
std::string summary(const std::vector<Requantiser>& all);

}  // namespace kumiki::gen::graph
