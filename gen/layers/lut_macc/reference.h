// SPDX-License-Identifier: Apache-2.0
// The sum of a[i] * b[i] as plain Verilog.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/lut_macc/plan.h"

namespace kumiki::gen::lut_macc {

proof::Reference reference(const Plan& plan);

}  // namespace kumiki::gen::lut_macc
