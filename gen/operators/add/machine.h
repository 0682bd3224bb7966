// SPDX-License-Identifier: Apache-2.0
// Two streams become one, number by number: a requantised sum, or any function of both.
//
// The planner looks for an integer plane that is exact for every pair of numbers (add_rule.h). It
// costs two slices a lane, or one if a pre-adder suffices, and four LUTs for the clamp. A product
// of eight bits with a constant of twenty takes at least 80 LUTs, so slices are cheaper. Pairs of
// few bits use a table in LUTs. If no plane is exact, a lane is a block memory with all results.
// This happens for scales with a ratio of small integers: float32 rounds their ties to either side.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/stages.h"
#include "gen/operators/add/add_rule.h"

namespace kumiki::gen::pipeline {

enum class AddForm : std::uint8_t { luts, one_slice, two_slices, memory };

struct AddPlan {
  std::string_view name = "add";  // of the operator; others have a table alone
  Stream a, b;
  arith::Format format;  // of a result
  AddForm form = AddForm::memory;
  AddRule rule;  // for slices
  // Of a single slice: the sum of the numbers is factor A, and the constant is factor B.
  bool adds_on_a = false;
  // [number of a - lowest][number of b - lowest], for every number of both formats.
  std::vector<std::int16_t> results;
  std::vector<Stream> inputs() const { return {a, b}; }
  Stream output() const { return a.with(format); }
  bool in_slices() const { return form == AddForm::one_slice || form == AddForm::two_slices; }
  // The range of the rule before its clamp.
  arith::Interval unclamped() const;
  bool clamps() const;
  // Whether the pattern detector decides on the clamp: there are no ties, and the clamp has the
  // whole range of the format.
  bool clamps_by_pattern() const;
  int stages() const;
  std::uint64_t index_of(std::uint64_t raw_a, std::uint64_t raw_b) const;  // of `results`
  Moving schedule() const { return Stages::schedule(a, 2, stages()); }
  std::int64_t slices() const;
  int levels() const { return 3; }
  std::string kind() const { return std::string(name); }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const AddPlan&) const = default;
};

// Whether the streams have the same shape and lanes, and pairs have at most 16 bits.
bool legal(const Stream& a, const Stream& b);

// The pairs of an Add, for the numbers that its inputs reach.
Pairs pairs_of(const graph::Graph& graph, const graph::Node& node,
               const std::vector<arith::Interval>& reached);
AddPlan plan_add(const Stream& a, const Stream& b, const arith::Format& format, const Pairs& pairs,
                 const packing::Limits& limits = {});

MachineOut<Hardware> build(Scope& s, const AddPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const AddPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
