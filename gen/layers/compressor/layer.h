// SPDX-License-Identifier: Apache-2.0
// The layer types "popcount", "xnor_popcount", "compressor", "multiplier", "sum_of_products" and
// "const_dot": one tree each.
#pragma once
#include "gen/layer/type.h"
#include "gen/layers/compressor/reference.h"
#include "gen/layers/compressor/request.h"

namespace kumiki::gen::compressor {

template <class Request>
std::unique_ptr<Layer> make_layer(const Request& request) {
  return make_sum_layer(plan_sum(spec(request), request),
                        [request](const SumPlan& plan) { return reference(request, plan); });
}

std::vector<config::LayerType> layer_types();

}  // namespace kumiki::gen::compressor
