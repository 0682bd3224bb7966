// SPDX-License-Identifier: Apache-2.0
// From the keys of a requantisation to its slice (gen/blocks/requant/slice.h).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gen/arith/format.h"
#include "gen/blocks/requant/slice.h"
#include "gen/layer/layer.h"
#include "gen/layers/requant/ports.h"

namespace kumiki::gen::requant {

// The meaning of the numbers in the keys: this project's formula, or that of the training
// framework.
enum class Rule { scaled, onnxruntime, tflite };
enum class Sign { is_signed, is_unsigned };
enum class Activation { none, relu, relu6 };
using Range = std::array<std::int64_t, 2>;

// The user's request.
struct Request {
  std::optional<int> accumulator_bits;
  std::optional<Range> accumulator;
  std::optional<int> bias_bits;
  Rule rule = Rule::scaled;
  // One, or for a named rule one for each channel.
  std::optional<std::variant<double, std::vector<double>>> scale;
  std::optional<std::variant<std::int64_t, std::vector<std::int64_t>>> multiplier, shift;
  std::optional<int> factor_bits;
  std::optional<bool> exact;
  Rounding rounding = Rounding::half_even;
  std::int64_t zero_point = 0;
  std::optional<int> zero_point_bits;
  int result_bits = 8;
  Sign result_sign = Sign::is_signed;
  std::optional<Range> clamp;
  Activation activation = Activation::none;
  std::optional<std::int64_t> six;
  Limits limits = {};  // of the slices of the target, no key
  arith::Format result_format() const { return {result_bits, result_sign == Sign::is_signed}; }
  bool operator==(const Request&) const = default;
};

struct Plan {
  Request request;
  RequantPlan slice;
  std::optional<arith::Scale> scale;   // embedded: scale / 2^shift
  std::uint32_t accumulator_bits = 0;  // width of its port

  std::string module_name() const;
  bool operator==(const Plan& other) const { return request == other.request; }
};
RequantIn<Hardware> input_shape(const Plan& plan);
RequantOut<Hardware> output_shape(const Plan& plan);

// The widest ranges of accumulators and results that the keys allow; Refusal.
arith::Interval accumulators_of(const Request& request);
arith::Interval range_of_results(const Request& request);

// Throws config::Refusal for an impossible request, at the key that caused it.
Plan plan(const Request& request);

std::string to_text(const Plan& plan);
void write(config::Writer& w, const Plan& plan);

}  // namespace kumiki::gen::requant
