// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/layer.h"

namespace kumiki::gen::compressor {

std::vector<config::LayerType> layer_types() {
  return {
      {.name = "popcount",
       .help = "the number of ones",
       .table = &popcount_table(),
       .plan = plan_with<PopcountRequest, make_layer<PopcountRequest>>,
       .searches = true,
       .examples = {R"({"type": "popcount", "bits": 32})",
                    R"({"type": "popcount", "bits": 30, "levels": 2})",
                    R"({"type": "popcount", "bits": 9, "period_ns": 4})"}},
      {.name = "compressor",
       .help = "the sum of any words on one tree",
       .table = &compressor_table(),
       .plan = plan_with<CompressorRequest, make_layer<CompressorRequest>>,
       .searches = true,
       .examples =
           {R"({"type": "compressor", "operands": [{"count": 5, "bits": 4}, {"bits": 8, "signed": true, "factor": 3}], "constant": 7})",
            R"({"type": "compressor", "operands": [{"count": 4, "bits": 3}], "period_ns": 4})"}},
      {.name = "xnor_popcount",
       .help = "how many bits agree",
       .table = &xnor_popcount_table(),
       .plan = plan_with<XnorPopcountRequest, make_layer<XnorPopcountRequest>>,
       .searches = true,
       .examples = {R"({"type": "xnor_popcount", "bits": 16, "reading": "bipolar", "pipeline": 2})",
                    R"({"type": "xnor_popcount", "bits": 8, "period_ns": 4})"}},
      {.name = "multiplier",
       .help = "a product without DSP slices",
       .table = &multiplier_table(),
       .plan = plan_with<MultiplierRequest, make_layer<MultiplierRequest>>,
       .searches = true,
       .examples = {R"({"type": "multiplier", "a_bits": 8, "b_bits": 8})",
                    R"({"type": "multiplier", "a_bits": 6, "b_bits": 5, "period_ns": 4})"}},
      {.name = "sum_of_products",
       .help = "products and their sum on one tree",
       .table = &sum_of_products_table(),
       .plan = plan_with<SumOfProductsRequest, make_layer<SumOfProductsRequest>>,
       .searches = true,
       .examples =
           {R"({"type": "sum_of_products", "terms": 3, "a_bits": 4, "b_bits": 3})",
            R"({"type": "sum_of_products", "terms": 2, "a_bits": 2, "b_bits": 3, "period_ns": 4})"}},
      {.name = "const_dot",
       .help = "a dot product with embedded weights",
       .table = &const_dot_table(),
       .plan = plan_with<ConstDotRequest, make_layer<ConstDotRequest>>,
       .searches = true,
       .examples = {R"({"type": "const_dot", "weights": [1, -2, 3, 100], "bits": 6})",
                    R"({"type": "const_dot", "weights": [3, -5], "bits": 4, "period_ns": 4})"}},
  };
}

}  // namespace kumiki::gen::compressor
