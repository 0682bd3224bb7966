// SPDX-License-Identifier: Apache-2.0
// The sums of products as plain Verilog.
#pragma once
#include "gen/dot/plan.h"
#include "gen/proof/reference.h"

namespace kumiki::gen::dot {

proof::Reference reference(const Request& request, const packing::Limits& limits = {});

}  // namespace kumiki::gen::dot
