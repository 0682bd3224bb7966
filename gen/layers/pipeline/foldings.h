// SPDX-License-Identifier: Apache-2.0
// Everything about a streamed graph that does not depend on the pace: the foldings of its layers,
// the readers of its tensors, and machines. It is found once and used for many paces: most machines
// of one pace serve the next one too, and a set of weights is large.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machine.h"
#include "gen/layers/pipeline/machines/order.h"
#include "gen/layers/pipeline/node_choices.h"
#include "gen/layers/pipeline/plan.h"
#include "gen/operators/add/machine.h"
#include "gen/operators/conv/convolution.h"
#include "gen/operators/conv/unrolled.h"
#include "ir/remembered.h"

namespace kumiki::gen::pipeline {

// The stream of a tensor's numbers.
Stream stream_of(const graph::Tensor& tensor, std::int64_t lanes);

// A search over many paces only sketches machines: a sketch leaves out trees, which need a search.
enum class Depth { sketch, whole };

struct DepthwiseFolding {
  std::shared_ptr<const Machine> machine;
  std::int64_t interval = 0, slices = 0, brams_18k = 0;
};

class Foldings {
 public:
  using Convolution = MachineOf<ConvolutionPlan>;
  // Takes a streamed graph. NoMachine.
  Foldings(std::shared_ptr<const graph::Graph> graph, const packing::Limits& limits,
           const NodeChoices& choices = {}, const ir::Context& context = {});
  Foldings(const Foldings&) = delete;  // searches remember their results
  const graph::Graph& graph() const { return *graph_; }
  const packing::Limits& limits() const { return limits_; }  // of slices
  // The intervals of all foldings, the fastest first: only at these paces can something change.
  std::vector<std::int64_t> paces() const;
  std::int64_t fastest(std::size_t node) const;  // interval of a Conv in slices

  // The nodes that read a tensor.
  const std::vector<std::size_t>& readers(graph::TensorId id) const { return readers_[id]; }
  // The offsets (requantise_sums.h) if the sums of a Conv or GlobalAverage are its numbers except
  // for these.
  const std::optional<std::vector<std::int64_t>>& offsets(std::size_t node) const;
  // The format of a node's unscaled sums, if they are its numbers.
  std::optional<arith::Format> numbers(std::size_t node, const arith::Format& sums) const;
  // Whether whoever reads these numbers takes a whole map at once: the memories of passes do, a
  // mean over the map, and the queue of a branch, of which one more map costs what a map in a
  // memory before it does.
  bool leave_by_maps(graph::TensorId numbers) const;
  // The Thresholds node that is the only reader of this node's unscaled sums.
  std::optional<std::size_t> steps_behind(std::size_t node) const;

  // The foldings of a Conv, ordered by fewest slices, then by fewest bits in trees. Empty for
  // other nodes and for a Conv in LUTs.
  const std::vector<ConvolutionFolding>& convolutions(std::size_t node) const;
  const std::shared_ptr<const Convolution>& folded(std::size_t node, const ConvolutionFolding& f,
                                                   Depth depth) const;
  Stream sums(std::size_t node, std::int64_t lanes) const;  // of a Conv with foldings
  // Machines for a depthwise Conv, with one chain for each lane, the fewest slices first.
  const std::vector<DepthwiseFolding>& depthwise(std::size_t node) const;
  // Whether the weights of a Conv come from a memory outside, and their words.
  bool is_outside(std::size_t node) const { return outside_.contains(node); }
  std::int64_t word_bits() const { return word_bits_; }
  // The layer of a Conv in LUTs, with its numbers if LUTs have a line for them; null: in slices.
  const UnrolledPlan::Layer* in_luts(std::size_t node) const;

  // For an Add. NoMachine.
  std::shared_ptr<const Machine> added(std::size_t node, const Stream& a, const Stream& b) const;
  std::shared_ptr<const Machine> requantised(std::size_t node, const Stream& sums) const;
  // For a node that moves numbers. NoMachine.
  template <class Op>
  const Order& order(std::size_t node, const Op& op) const {
    const auto known = orders_.find(node);
    if (known != orders_.end()) return known->second;
    const graph::Node& n = graph_->nodes[node];
    const auto sources = sources_of(op, graph_->tensors[n.inputs[0]], graph_->tensors[n.output]);
    return orders_.emplace(node, order_of(*graph_, n, sources)).first->second;
  }
  // A machine that depends only on the node and the streams that it reads. The plan, or the machine
  // itself, is made on the first request.
  template <class MakePlan>
  std::shared_ptr<const Machine> kept(std::size_t node, const std::vector<Stream>& reads,
                                      MakePlan&& make_plan) const {
    auto& all = kept_[node];
    for (const Kept& k : all)
      if (k.reads == reads) return k.machine;
    auto made = make_plan();
    if constexpr (std::is_same_v<decltype(made), std::shared_ptr<const Machine>>)
      all.push_back({reads, std::move(made)});
    else
      all.push_back({reads, machine(std::move(made))});
    return all.back().machine;
  }

 private:
  struct Kept {
    std::vector<Stream> reads;
    std::shared_ptr<const Machine> machine;
  };
  ColumnsOf made_in(std::size_t node, Depth depth) const;
  const arith::Format& sums_format(std::size_t node) const;

  std::shared_ptr<const graph::Graph> graph_;
  packing::Limits limits_;
  mutable PlannedColumns planned_;
  ir::Context context_;
  ir::Remembered trees_;
  std::set<std::size_t> in_trees_, outside_;
  std::int64_t word_bits_;
  std::vector<std::vector<std::size_t>> readers_;  // by tensor
  std::map<std::size_t, std::vector<ConvolutionFolding>> of_node_;
  std::map<std::size_t, std::vector<DepthwiseFolding>> depthwise_;
  std::map<std::size_t, UnrolledPlan::Layer> in_luts_;
  std::vector<arith::Interval> reached_;  // the range of each tensor
  // By node, folding, and whether it is a sketch.
  mutable std::map<std::tuple<std::size_t, Fold, bool>, std::shared_ptr<const Convolution>> folded_;
  mutable std::map<std::size_t, std::vector<Kept>> kept_;
  mutable std::map<std::size_t, std::optional<std::vector<std::int64_t>>> offsets_;
  mutable std::map<std::size_t, arith::Format> sums_;
  mutable std::map<std::size_t, Order> orders_;
};

}  // namespace kumiki::gen::pipeline
