// SPDX-License-Identifier: Apache-2.0
// Sums of words, multiples and products on one compressor tree: the common part of the layer types
// popcount, compressor, multiplier, sum_of_products and const_dot.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "gen/blocks/compressor/datapath.h"
#include "gen/blocks/compressor/heap.h"
#include "gen/layers/compressor/tree.h"

namespace kumiki::gen::compressor {

// factor * a * 2^column, a * b * 2^column, or (a xnor b) * 2^column for words of one bit.
struct Term {
  unsigned a;  // number of the word, counted over all ports
  std::optional<unsigned> b;
  std::int64_t factor = 1;
  unsigned column = 0;
  bool is_xnor = false;
};

struct SumSpec {
  std::string module;
  std::vector<PortShape> ports;
  std::vector<Term> terms;
  std::int64_t constant = 0;
};

struct SumPlan {
  SumSpec spec;
  TreeOptions options;
  std::int64_t low = 0, high = 0;  // range of the sum
  std::uint32_t width = 0;
  bool is_signed = false;
  std::uint32_t recoding_luts = 0;  // of rows with their own LUTs before the tree
  TreePlan tree;
  unsigned latency = 0;
  std::shared_ptr<const Placement> placement =
      {};  // of registers that `levels` or `period_ns` asks for
};

// Throws DesignError for a sum of more than 64 bits and for products of operands that differ in
// sign.
SumPlan plan_sum(const SumSpec& spec, const TreeOptions& options);

// The heap of the given words. Some products have rows with their own LUTs.
Heap sum_heap(Scope& s, const SumPlan& plan, const std::vector<UInt>& words);

// Writes the definition for proofs; without it the layer has none.
using Define = std::function<proof::Reference(const SumPlan&)>;
std::unique_ptr<Layer> make_sum_layer(SumPlan plan, Define define = {});

}  // namespace kumiki::gen::compressor
