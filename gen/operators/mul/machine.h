// SPDX-License-Identifier: Apache-2.0
// The products of two streams, number by number, each less its zero point: a slice for each lane.
// Its pre-adder subtracts one zero point, a carry chain in front of it the other one, unless that
// is 0. The machine `requantise` behind it makes numbers of them. Pairs of few bits are a table in
// LUTs. Scales whose ratio is one of small integers have ties, which float32 rounds to
// either side. If no factor is exact then, a lane is a block memory with all results.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/requantise.h"
#include "gen/layers/pipeline/machines/stages.h"
#include "gen/operators/add/machine.h"

namespace kumiki::gen::pipeline {

// The product of two numbers, each less its zero point: a slice, and three clocks.
struct Factors {
  arith::Format a, b;
  std::int64_t zero_a = 0, zero_b = 0;
  arith::Interval products() const;
  arith::Format product() const { return {arith::signed_bits(products()), true}; }
  bool operator==(const Factors&) const = default;
};
// The enables are those of the registers that hold a and b, and of all behind them.
UInt product_in_slice(Scope& s, const Factors& factors, const UInt& a, const UInt& b, Net takes_a,
                      Net takes_b, Net moves);

struct MulPlan {
  Stream a, b;
  std::int64_t zero_a = 0, zero_b = 0;  // zero points
  std::vector<Stream> inputs() const { return {a, b}; }
  Factors factors() const { return {a.format, b.format, zero_a, zero_b}; }
  arith::Interval products() const { return factors().products(); }
  Stream output() const { return a.with(factors().product()); }
  Moving schedule() const { return Stages::schedule(a, 2, 3); }
  std::int64_t slices() const { return a.lanes; }
  int levels() const { return 3; }
  std::string kind() const { return "mul"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const MulPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const MulPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const MulPlan& plan, std::int64_t k, const Taken& in);

// The products of a Mul as numbers; all channels have one rule. Empty: a table is needed.
std::optional<RequantisePlan> requantised_products(const graph::Graph& graph,
                                                   const graph::Node& node, const MulPlan& plan,
                                                   const packing::Limits& limits);
AddPlan table_of_products(const graph::Graph& graph, const graph::Node& node, const MulPlan& plan);

}  // namespace kumiki::gen::pipeline
