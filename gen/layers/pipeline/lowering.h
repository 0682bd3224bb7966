// SPDX-License-Identifier: Apache-2.0
// Turns the nodes of a graph into machines for a pace. The folder of an operator
// (gen/operators/NAME/pipeline.cpp) defines the machines of its nodes:
//
//     Source machines(Lowering& l, std::size_t node, const graph::Lookup& op);
//
// It adds machines to the plan and returns the source of the node's result. An operator without
// this function has a constant `no_machine` that says why.
#pragma once
#include <cstdint>
#include <functional>
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

// The source of a tensor's numbers.
struct Source {
  std::size_t box = Box::from_outside;
  Stream stream;
};

// Makes unique identifiers from the names of nodes.
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
  std::int64_t clocks() const { return clocks_; }  // at most, for a frame
  bool is_output(graph::TensorId id) const;

  Source read(const graph::Node& n, std::size_t input = 0) const { return made_[n.inputs[input]]; }
  Source add(const std::string& name, std::shared_ptr<const Machine> machine,
             const std::vector<Source>& from);
  // Converts the stream to other lanes.
  Source with_lanes(Source from, std::int64_t lanes, const std::string& name);

  // Turns the sums of a node into numbers: by the Thresholds node that is their only reader, or by
  // the node's own rule. `lacks`: what each channel's sums lack besides bias and zero point.
  Source numbers(std::size_t node, Source sums, const std::vector<std::int64_t>& lacks = {});
  // The tensor of these numbers; they leave another machine now.
  graph::TensorId numbers_of(std::size_t node) const;
  Source numbers_leave(std::size_t node, Source from);
  // The offsets to add if the sums are the numbers; empty: the sums must be multiplied.
  std::optional<std::vector<std::int64_t>> offsets(std::size_t node,
                                                   const std::vector<std::int64_t>& lacks) const;

  // A stream of weights from outside, for a node. A sketch needs no numbers.
  Source weights(std::size_t node, const Stream& words,
                 const std::function<std::vector<std::int16_t>()>& numbers);

  // The machine of a Conv that keeps the pace with the fewest slices, including those behind it,
  // then with the fewest products in trees; null: no machine keeps it.
  std::shared_ptr<const Machine> folded(std::size_t node) const;

  // The plan of a box if its machine is of this kind; replace() then puts another machine there.
  template <class Plan>
  const Plan* replaceable(std::size_t box) const {
    if (box >= plan_.boxes.size()) return nullptr;
    const auto* made = dynamic_cast<const MachineOf<Plan>*>(plan_.boxes[box].machine.get());
    return made == nullptr ? nullptr : &made->plan();
  }
  Source replace(std::size_t box, std::shared_ptr<const Machine> machine);

 private:
  void take_inputs();
  std::int64_t lanes_of_reader(graph::TensorId input) const;
  std::int64_t lanes_for(const std::vector<graph::TensorId>& maps) const;
  void return_all();

  const Foldings& f_;
  const graph::Graph& g_;
  std::int64_t clocks_;
  Depth depth_;
  Behind behind_;
  PipelinePlan plan_;
  std::vector<Source> made_;
  std::set<std::size_t> done_;  // nodes that another node's machine includes
  Names names_;
};

// For operators without a machine: `streamed` has refused or removed them.
template <class Op>
Source machines(Lowering& lowering, std::size_t node, const Op&) {
  static_assert(
      requires { Op::no_machine; } || requires { Op::is_free; },
      "declare machines() for this operator, or say in no_machine why it has none");
  throw std::logic_error(lowering.node(node).name + ": a streamed graph has no such node");
}

}  // namespace kumiki::gen::pipeline
