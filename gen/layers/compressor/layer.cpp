// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/layer.h"

namespace kumiki::gen::compressor {
namespace {

template <class Request>
config::LayerType type(const char* help, const config::Table& table,
                       std::vector<std::string> examples) {
  return {.name = table.name(),
          .help = help,
          .table = &table,
          .plan = plan_with<Request, make_layer<Request>>,
          .searches = true,
          .examples = std::move(examples)};
}

}  // namespace

std::vector<config::LayerType> layer_types() {
  return {
      type<PopcountRequest>("the number of ones", popcount_table(),
                            {R"({"type": "popcount", "bits": 32})",
                             R"({"type": "popcount", "bits": 30, "levels": 2})",
                             R"({"type": "popcount", "bits": 9, "period_ns": 4})"}),
      type<CompressorRequest>(
          "the sum of any words on one tree", compressor_table(),
          {R"({"type": "compressor", "operands": [{"count": 5, "bits": 4}, {"bits": 8, "signed": true, "factor": 3}], "constant": 7})",
           R"({"type": "compressor", "operands": [{"count": 4, "bits": 3}], "period_ns": 4})"}),
      type<XnorPopcountRequest>(
          "how many bits agree", xnor_popcount_table(),
          {R"({"type": "xnor_popcount", "bits": 16, "reading": "bipolar", "pipeline": 2})",
           R"({"type": "xnor_popcount", "bits": 8, "period_ns": 4})"}),
      type<MultiplierRequest>(
          "a product without DSP slices", multiplier_table(),
          {R"({"type": "multiplier", "a_bits": 8, "b_bits": 8})",
           R"({"type": "multiplier", "a_bits": 6, "b_bits": 5, "period_ns": 4})"}),
      type<SumOfProductsRequest>(
          "products and their sum on one tree", sum_of_products_table(),
          {R"({"type": "sum_of_products", "terms": 3, "a_bits": 4, "b_bits": 3})",
           R"({"type": "sum_of_products", "terms": 2, "a_bits": 2, "b_bits": 3, "period_ns": 4})"}),
      type<ConstDotRequest>(
          "a dot product with embedded weights", const_dot_table(),
          {R"({"type": "const_dot", "weights": [1, -2, 3, 100], "bits": 6})",
           R"({"type": "const_dot", "weights": [3, -5], "bits": 4, "period_ns": 4})"}),
  };
}

}  // namespace kumiki::gen::compressor
