// SPDX-License-Identifier: Apache-2.0
// The plan of a sum of products without a DSP slice (WP486's "other ways"). A product is a few rows
// of radix-4 digits. Every row is one carry chain: one LUT6 for each position adds 0, +-1 or +-2
// times the multiplicand to the previous rows, so two partial products cost one LUT for each bit.
#pragma once
#include <string>

#include "gen/arith/certificate.h"
#include "gen/arith/format.h"
#include "gen/blocks/packing/hardware/sum.h"
#include "gen/layer/layer.h"
#include "gen/layers/lut_macc/ports.h"
#include "ir/error.h"
#include "ir/expected.h"

namespace kumiki::gen::lut_macc {

enum class Sum {
  tree,      // all operands of a set at once, adders in levels
  systolic,  // a chain: every operand one clock after the previous one
};

using Operand = arith::Format;

struct Request {
  int terms = 1;
  Operand a, b;
  Sum sum = Sum::tree;
  int rows_per_stage = 1;
  bool operator==(const Request&) const = default;
};

struct Plan {
  Request request;
  bool recode_a = false;  // use the digits of a, because that takes fewer positions
  int rows = 1;           // of a product
  int product_bits = 1;
  int sum_bits = 1;
  arith::Interval product, sum;
  arith::Certificate certificate;
  packing::SumPlan tree;  // of all products; not of a chain

  arith::Format sum_format() const { return {sum_bits, sum.lo < 0}; }
  const Operand& digits() const { return recode_a ? request.a : request.b; }
  const Operand& multiplicand() const { return recode_a ? request.b : request.a; }
  int row_width(int row) const;
  int product_positions() const;  // of carry chains
  int product_latency() const;
  int levels() const;       // of the sum
  int sum_latency() const;  // includes the parts of its carry chains
  int latency() const { return product_latency() + sum_latency(); }
  // Skew of an operand: clocks after the start of its set.
  int lateness(int term) const;

  std::string module_name() const;
  bool operator==(const Plan& other) const { return request == other.request; }
  MaccIn<Hardware> input_shape() const;
  MaccOut<Hardware> output_shape() const;
};

// Refused: a sum that does not fit the 64 bits of a word.
Expected<Plan, Diagnostic> plan(const Request& request);

std::string to_text(const Plan& plan);
void write(config::Writer& w, const Plan& plan);

}  // namespace kumiki::gen::lut_macc
