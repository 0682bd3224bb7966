// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/compressor/layer.h"

namespace kumiki::gen::compressor {

std::vector<config::LayerType> layer_types() {
  return {
      {"popcount",
       "the number of ones",
       &popcount_table(),
       {},
       plan_with<PopcountRequest, make_layer<PopcountRequest>>,
       true,
       {R"({"type": "popcount", "bits": 32})"}},
      {"compressor",
       "the sum of any words on one tree",
       &compressor_table(),
       {},
       plan_with<CompressorRequest, make_layer<CompressorRequest>>,
       true,
       {R"({"type": "compressor", "operands": [{"count": 5, "bits": 4}, {"bits": 8, "signed": true, "factor": 3}], "constant": 7})"}},
      {"xnor_popcount",
       "how many bits agree",
       &xnor_popcount_table(),
       {},
       plan_with<XnorPopcountRequest, make_layer<XnorPopcountRequest>>,
       true,
       {R"({"type": "xnor_popcount", "bits": 16, "reading": "bipolar", "pipeline": 2})"}},
      {"multiplier",
       "a product without DSP slices",
       &multiplier_table(),
       {},
       plan_with<MultiplierRequest, make_layer<MultiplierRequest>>,
       true,
       {R"({"type": "multiplier", "a_bits": 8, "b_bits": 8})"}},
      {"sum_of_products",
       "products and their sum on one tree",
       &sum_of_products_table(),
       {},
       plan_with<SumOfProductsRequest, make_layer<SumOfProductsRequest>>,
       true,
       {R"({"type": "sum_of_products", "terms": 3, "a_bits": 4, "b_bits": 3})"}},
      {"const_dot",
       "a dot product with embedded weights",
       &const_dot_table(),
       {},
       plan_with<ConstDotRequest, make_layer<ConstDotRequest>>,
       true,
       {R"({"type": "const_dot", "weights": [1, -2, 3, 100], "bits": 6})"}},
  };
}

}  // namespace kumiki::gen::compressor
