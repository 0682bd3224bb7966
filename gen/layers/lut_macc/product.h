// SPDX-License-Identifier: Apache-2.0
// One product in LUTs, row by row.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/lut_macc/plan.h"

namespace kumiki::gen::lut_macc {

// a * b modulo 2^product_bits, `product_latency` clocks later.
UInt product(Scope& s, const Plan& plan, const UInt& a, const UInt& b, Net enable);

}  // namespace kumiki::gen::lut_macc
