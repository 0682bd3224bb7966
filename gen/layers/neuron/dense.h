// SPDX-License-Identifier: Apache-2.0
// Many binarised neurons on the same inputs, with embedded weights: y[m] = popcount(x xnor w[m]) >=
// T[m].
//
// Two neurons share the counter of a group of inputs if their weights there are equal or all
// opposite. In the second case the counts are c and k - c, which is c with inverted bits minus a
// constant. Inversion is free, and constants go into the bias. So for any number of neurons a group
// of three needs at most four counters, a group of six 32 and one of seven 64; the plan takes the
// cheapest size. Inputs with similar weights form groups if this reduces the number of counters.
#pragma once
#include <bit>
#include <optional>
#include <variant>

#include "gen/layers/neuron/neuron.h"

namespace kumiki::gen::neuron {

enum class Sharing { automatic, none, three, six, seven };

struct DenseRequest : compressor::TreeOptions {
  std::uint32_t inputs = 0;
  std::vector<std::vector<std::uint8_t>> weights;  // one row for each neuron
  std::variant<std::uint32_t, std::vector<std::uint32_t>> threshold = 0u;
  Sharing sharing = Sharing::automatic;
};

// A counter of a group, for one or more neurons.
struct SharedCount {
  unsigned first, size;    // in DensePlan::order
  std::uint32_t inverted;  // mask of the inverted inputs; never the first
  unsigned bits() const { return static_cast<unsigned>(std::bit_width(size)); }  // of the count
  auto operator<=>(const SharedCount&) const = default;
};

struct DenseNeuron {
  struct Use {
    std::size_t count;  // in DensePlan::counts
    bool complement;
  };
  std::optional<bool> constant;     // T is 0, or larger than the number of inputs
  std::optional<std::size_t> like;  // an earlier neuron with the same weights and threshold
  std::vector<Use> uses;
  std::int64_t bias = 0;
  std::size_t tree = 0;  // in DensePlan::trees
  bool has_tree() const { return !constant && !like; }
};

struct DensePlan {
  DenseRequest request;
  unsigned group = 0;                // inputs counted together; 1: nothing is shared
  std::vector<std::uint32_t> order;  // of the inputs, group by group
  unsigned carry_column = 0;
  std::vector<SharedCount> counts;
  // Counters of seven begin with a full adder for their first three inputs. Counters share these
  // adders too: `triple_of` gives each counter the number of its adder.
  std::vector<SharedCount> triples;
  std::vector<std::size_t> triple_of;
  std::vector<DenseNeuron> neurons;
  std::vector<TreePlan> trees;
  unsigned latency = 0;
  unsigned alone_luts = 0;  // lower bound of the layer's LUTs without sharing; 0: not computed
  bool shares() const { return group > 1; }
  unsigned first_layer_luts() const;
  unsigned luts() const;
  compressor::Datapath datapath() const;
};

// Groups the inputs: in their own order, or with similar weights together if this reduces the
// number of counters.
void plan_counts(DensePlan& plan);
std::uint32_t threshold_of(const DenseRequest& request, std::size_t neuron);

// The bits of every counter, low to high.
std::vector<std::vector<Net>> build_counts(Scope& s, const DensePlan& plan,
                                           const std::vector<UInt>& x);

// Throws DesignError for rows of weights with the wrong length and for thresholds out of range.
DensePlan plan_dense(const DenseRequest& request);

const config::Table& dense_table();
std::unique_ptr<Layer> make_dense(const DenseRequest& request);
std::unique_ptr<Layer> make_planned(DensePlan plan);

}  // namespace kumiki::gen::neuron
