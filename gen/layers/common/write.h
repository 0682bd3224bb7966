// SPDX-License-Identifier: Apache-2.0
// Packed products and certificates as JSON, with the keys of the report.
#pragma once
#include "gen/arith/certificate.h"
#include "gen/blocks/packing/plan.h"
#include "gen/config/writer.h"

namespace kumiki::gen::arith {

void write_value(config::Writer& w, const Interval& interval);  // [low, high]
void write(config::Writer& w, const Statement& statement);
void write_value(config::Writer& w, const Certificate& certificate);  // its statements

}  // namespace kumiki::gen::arith

namespace kumiki::gen::packing {

void write(config::Writer& w, const PackingPlan& plan);

}  // namespace kumiki::gen::packing
