// SPDX-License-Identifier: Apache-2.0
// Two streams become one, number by number: a sum that is requantised, or any function of both.
//
// A plane of integers is found that is equal for every pair of numbers (add_rule.h); it costs two
// slices a lane, or one where a pre-adder is enough, and four LUTs for the clamp. A product of
// eight bits with a constant of twenty is 80 LUTs and more, so slices are the cheaper ones. Pairs
// of few bits are a table in LUTs. Where no plane is equal, as for scales with the ratio of small
// integers, at whose ties float32 rounds to either side, a lane is a block memory with all results.
#pragma once
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/stages.h"
#include "gen/operators/add/add_rule.h"

namespace kumiki::gen::pipeline {

enum class AddForm : std::uint8_t { luts, one_slice, two_slices, memory };

struct AddPlan {
  Stream a, b;
  arith::Format format;  // of a result
  AddForm form = AddForm::memory;
  AddRule rule;  // in slices
  // [number of a - lowest][number of b - lowest], of every number of both formats.
  std::vector<std::int16_t> results;
  std::vector<Stream> inputs() const { return {a, b}; }
  Stream output() const;
  bool in_slices() const { return form == AddForm::one_slice || form == AddForm::two_slices; }
  // What the rule gives before its clamp.
  arith::Interval unclamped() const;
  bool clamps() const;
  // The pattern detector says whether a clamp is needed: no ties, and the clamp is all of the
  // format.
  bool clamps_by_pattern() const;
  int stages() const;
  std::uint64_t index_of(std::uint64_t raw_a, std::uint64_t raw_b) const;  // of `results`
  std::int64_t interval() const { return a.beats(); }
  std::int64_t slices() const;
  int levels() const { return 3; }
  std::string kind() const { return "add"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const AddPlan&) const = default;
};

// Whether the streams have the same shape and lanes, and pairs at most 16 bits.
bool legal(const Stream& a, const Stream& b);

// Of an Add, for what its inputs are reached with.
Pairs pairs_of(const graph::Graph& graph, const graph::Node& node,
               const std::vector<arith::Interval>& reached);
AddPlan plan_add(const Stream& a, const Stream& b, const arith::Format& format, const Pairs& pairs);

MachineOut<Hardware> build(Scope& s, const AddPlan& plan, const MachineIn<Hardware>& in);
std::unique_ptr<Counts> counts_of(const AddPlan& plan);

class AddModel : public StagesModel {
 public:
  explicit AddModel(const AddPlan& plan);
};

}  // namespace kumiki::gen::pipeline
