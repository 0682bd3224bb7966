// SPDX-License-Identifier: Apache-2.0
// The sums of this folder as plain Verilog, each written from its own keys.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/compressor/request.h"

namespace kumiki::gen::compressor {

// The plan supplies the width of the result and the latency.
proof::Reference reference(const PopcountRequest& request, const SumPlan& plan);
proof::Reference reference(const XnorPopcountRequest& request, const SumPlan& plan);
proof::Reference reference(const MultiplierRequest& request, const SumPlan& plan);
proof::Reference reference(const SumOfProductsRequest& request, const SumPlan& plan);
proof::Reference reference(const ConstDotRequest& request, const SumPlan& plan);
proof::Reference reference(const CompressorRequest& request, const SumPlan& plan);

}  // namespace kumiki::gen::compressor
