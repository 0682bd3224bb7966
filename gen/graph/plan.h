// SPDX-License-Identifier: Apache-2.0
// What a network needs of hardware, one row for each node: products, weights, the sums that occur
// and how they become numbers, with the proof that these equal onnxruntime's.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gen/arith/steps.h"
#include "gen/graph/graph.h"
#include "gen/graph/requantise.h"

namespace kumiki::gen::graph {

std::uint64_t products_of(const Graph& graph, const Node& node);  // of an image
std::string description(const Operator& op);                      // "conv 3x3 stride 2x2"

// A form that differs from onnxruntime at some reachable sums of its channel.
struct Unequal {
  std::size_t channel = 0;
  std::vector<arith::Apart> sums;
};

struct NodePlan {
  std::string name, op;
  std::vector<Shape> inputs;
  std::vector<Format> formats;  // of the inputs
  Shape result;
  Format format;
  std::uint64_t products = 0, weights = 0;  // for an image; includes products with padding
  std::vector<Requantiser> channels;        // empty: the node requantises no sums
  std::vector<Unequal> unequal;
  int sum_bits() const;  // of the widest; 0 if there are none
};

// Channels counted by form: the bits of a factor, 0 for a power of two.
struct Forms {
  std::map<int, std::size_t> factors;
  std::size_t products = 0;  // rounded to 24 bits
  void add(const std::vector<Requantiser>& channels);
  std::size_t all() const;
};
std::string to_text(const Forms& forms);  // "2 powers of two, 14 factors of 17 (5), 19 (9) bits"

struct NetworkPlan {
  std::string name;
  std::vector<NodePlan> nodes;
  std::uint64_t products() const;
  std::uint64_t weights() const;
  Forms forms() const;
  bool is_equal() const;  // to onnxruntime, for every sum that occurs
};

// With `factor_bits` no product is rounded. If no factor of so many bits is exact, the nearest one
// is used and the plan lists the sums at which it differs. The graph must be valid. DesignError:
// sums become numbers of more than 16 bits.
NetworkPlan plan(const Graph& graph, std::optional<int> factor_bits = {});

}  // namespace kumiki::gen::graph
