// SPDX-License-Identifier: Apache-2.0
// Places the nodes of a graph one after the other: layers of the array, parts of a layer, steps of
// the host. An operator that can be on the array says how, in array.cpp of its folder:
//
//   void to_array(Lowerer&, std::size_t node, const graph::Conv&);
//
// It adds a layer, joins the node to a layer, or leaves it to the host with a reason.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/array/lowering/node.h"

namespace kumiki::gen::array {

class Lowerer {
 public:
  // `left_out`: nodes that the host must compute, and why.
  Lowerer(const Request& request, const std::map<std::size_t, std::string>& left_out);
  Lowering lowered();

  const graph::Graph& graph() const { return graph_; }
  const Request& request() const { return request_; }
  int data_bits() const { return static_cast<int>(request_.bits); }
  int coefficient_bits() const {
    return static_cast<int>(request_.coefficient_bits.value_or(request_.bits));
  }
  int readers(graph::TensorId id) const { return readers_[id]; }
  // The reach of the array, or the largest that the layers so far need.
  std::int64_t reach() const;

  // A layer, or the reason why there is none.
  void add(std::size_t node, NodeLayer found);
  // `node` becomes part of the layer of `maker`, whose results are then those of `node`.
  void join(std::size_t node, std::size_t maker, const std::string& how);
  // Joins a pool to the layer before it, if nobody needs the unpooled results; otherwise the host
  // has it.
  void pool(std::size_t node, const PoolRequest& pool);
  void leave(std::size_t node, const std::string& why);
  // Runs when all other nodes are placed.
  void at_the_end(std::function<void()> step) { last_steps_.push_back(std::move(step)); }

 private:
  void place(std::size_t i);
  std::string pooled(std::size_t node, const PoolRequest& pool);
  void name_layers();
  graph::TensorId source(graph::TensorId id) const;
  void schedule();
  bool is_open(graph::TensorId id) const { return made_[id] != none && made_[id] >= first_; }
  void add_to_start(std::size_t layer);
  bool takes_from(std::size_t layer) const;
  void close();

  const Request& request_;
  const std::map<std::size_t, std::string>& left_out_;
  const graph::Graph& graph_;
  Lowering out_;
  std::vector<int> readers_;
  std::map<std::size_t, NetworkLayer> of_node_;
  std::map<std::size_t, graph::TensorId> output_;  // of a node's layer
  std::map<std::size_t, int> offset_;              // of its results
  std::map<std::size_t, std::size_t> joined_;      // node to the node of its layer
  std::set<std::size_t> left_;
  std::vector<std::function<void()>> last_steps_;

  static constexpr std::size_t none = ~std::size_t{0};
  std::vector<std::size_t> made_;     // by tensor: the layer that makes it
  std::size_t first_ = 0, end_ = 0;   // collected layers
  std::vector<std::size_t> waiting_;  // nodes without work that follow collected layers
};

}  // namespace kumiki::gen::array
