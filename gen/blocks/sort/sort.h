// SPDX-License-Identifier: Apache-2.0
// A sorting network in hardware, on parallel lanes (the pixels of a beat). Each layer makes all
// comparisons of all lanes at once. It uses the carries of FOUR12 subtractions, four a slice, or
// carry chains in LUTs, two bits a LUT. LUTs do the exchange in both forms. A LUT6_2 has both
// outputs of a bit of two values, a LUT6 one output of a bit of three.
//
// A value that waits for a comparison, or for its layer, waits in flip-flops. Those beside the LUTs
// are free, and a shift register would take a LUT.
#pragma once
#include <optional>

#include "gen/blocks/sort/network.h"
#include "gen/hdl/scope.h"

namespace kumiki::gen::sort {

enum class Form : std::uint8_t { slices, luts };

struct SortPlan {
  Network network;
  int bits = 8;
  bool is_signed = false;
  int lanes = 1;
  Form form = Form::slices;

  int latency() const;
  friend bool operator==(const SortPlan&, const SortPlan&) = default;
};

// The cost of what sort() makes, exact to the cell.
struct SortCost {
  int layers = 0;
  int comparisons = 0;  // of all lanes
  int slices = 0;
  int exchange_luts = 0, comparison_luts = 0;
  int flip_flops = 0;
  int luts() const { return exchange_luts + comparison_luts; }
  friend bool operator==(const SortCost&, const SortCost&) = default;
};
SortCost cost(const SortPlan& plan);

// The layer of every sorter, after the sorters it reads and before those that read it. It minimises
// slices first, then flip-flops.
std::vector<int> layers(const SortPlan& plan);

// [lane][input] to [lane][output], plan.latency() enabled clocks later; outputs come from
// registers. Words have plan.bits bits; DesignError for other shapes.
std::vector<std::vector<UInt>> sort(Scope& s, const SortPlan& plan,
                                    const std::vector<std::vector<UInt>>& inputs, Net enable,
                                    SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen::sort
