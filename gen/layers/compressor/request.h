// SPDX-License-Identifier: Apache-2.0
// The layer types that are one compressor tree.
#pragma once
#include "gen/layers/compressor/sum.h"

namespace kumiki::gen::compressor {

struct PopcountRequest : TreeOptions {
  std::uint32_t bits = 0;
};

enum class Reading { agreements, bipolar };
struct XnorPopcountRequest : TreeOptions {
  std::uint32_t bits = 0;
  Reading reading = Reading::agreements;
};

struct MultiplierRequest : TreeOptions {
  std::uint32_t a_bits = 8, b_bits = 8;
  bool is_signed = true;
};

struct SumOfProductsRequest : TreeOptions {
  std::uint32_t terms = 0, a_bits = 8, b_bits = 8;
  bool is_signed = true;
};

struct ConstDotRequest : TreeOptions {
  std::vector<std::int32_t> weights;
  std::uint32_t bits = 8;
  bool is_signed = true;
  std::int64_t constant = 0;
};

struct OperandRequest {
  std::uint32_t count = 1, bits = 1, column = 0;
  bool is_signed = false;
  std::int32_t factor = 1;
};
struct CompressorRequest : TreeOptions {
  std::vector<OperandRequest> operands;
  std::int64_t constant = 0;
};

const config::Table& popcount_table();
const config::Table& xnor_popcount_table();
const config::Table& multiplier_table();
const config::Table& sum_of_products_table();
const config::Table& const_dot_table();
const config::Table& compressor_table();

SumSpec spec(const PopcountRequest& request);
SumSpec spec(const XnorPopcountRequest& request);
SumSpec spec(const MultiplierRequest& request);
SumSpec spec(const SumOfProductsRequest& request);
SumSpec spec(const ConstDotRequest& request);
SumSpec spec(const CompressorRequest& request);

}  // namespace kumiki::gen::compressor
