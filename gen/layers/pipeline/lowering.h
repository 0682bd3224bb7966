// SPDX-License-Identifier: Apache-2.0
// What turns the nodes of a graph into machines for a pace. Which machines the nodes of an operator
// become is said in its folder (gen/operators/NAME/pipeline.cpp):
//
//     Source machines(Lowering& l, std::size_t node, const graph::Lookup& op);
//
// It adds machines to the plan and returns where the numbers of the node's result come from. An
// operator without one has a constant `no_machine`: why not.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/foldings.h"
#include "gen/layers/pipeline/lower.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/layers/pipeline/streamed.h"

namespace kumiki::gen::pipeline {

// Where the numbers of a tensor come from.
struct Source {
  std::size_t box = Box::from_outside;
  Stream stream;
};

// Identifiers from the names of nodes, each its own.
class Names {
 public:
  std::string of(const std::string& wish);

 private:
  std::set<std::string> taken_;
};

class Lowering {
 public:
  Lowering(const Foldings& foldings, std::int64_t clocks, Depth depth);
  PipelinePlan run();

  const Foldings& foldings() const { return f_; }
  const graph::Graph& graph() const { return g_; }
  const graph::Node& node(std::size_t i) const { return g_.nodes[i]; }
  const arith::Format& format_of(graph::TensorId id) const { return g_.tensors[id].format; }
  std::int64_t clocks() const { return clocks_; }  // of a frame, at most
  bool is_output(graph::TensorId id) const;

  Source read(const graph::Node& n, std::size_t input = 0) const { return made_[n.inputs[input]]; }
  Source add(const std::string& name, std::shared_ptr<const Machine> machine,
             const std::vector<Source>& from);
  // The same numbers in other lanes.
  Source with_lanes(Source from, std::int64_t lanes, const std::string& name);

  // Sums of a node become numbers: by the steps of the node that alone reads them, or by the node's
  // own rule. `lacks`: of every channel's sums beside bias and zero point.
  Source numbers(std::size_t node, Source sums, const std::vector<std::int64_t>& lacks = {});
  // What is added to sums that are numbers then; none: they are multiplied.
  std::optional<std::vector<std::int64_t>> offsets(std::size_t node,
                                                   const std::vector<std::int64_t>& lacks) const;

  // The machine of a Conv that keeps the pace with the fewest slices, those behind it counted, then
  // with the fewest products in trees; null: none does.
  std::shared_ptr<const Machine> folded(std::size_t node) const;

  // The plan of a box if it is a machine of this kind, and another machine in its place.
  template <class Plan, class Model>
  const Plan* replaceable(std::size_t box) const {
    if (box >= plan_.boxes.size()) return nullptr;
    const auto* made = dynamic_cast<const MachineOf<Plan, Model>*>(plan_.boxes[box].machine.get());
    return made == nullptr ? nullptr : &made->plan();
  }
  Source replace(std::size_t box, std::shared_ptr<const Machine> machine);

 private:
  std::int64_t lanes_of_input() const;
  std::int64_t lanes_for(Stream s) const;
  void return_all();

  const Foldings& f_;
  const graph::Graph& g_;
  std::int64_t clocks_;
  Depth depth_;
  Behind behind_;
  PipelinePlan plan_;
  std::vector<Source> made_;
  std::set<std::size_t> done_;  // nodes that another one took along
  Names names_;
};

// An operator without a machine: `streamed` has refused it or left it out.
template <class Op>
Source machines(Lowering& lowering, std::size_t node, const Op&) {
  throw std::logic_error(lowering.node(node).name + ": a streamed graph has no such node");
}

}  // namespace kumiki::gen::pipeline
