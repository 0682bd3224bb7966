// SPDX-License-Identifier: Apache-2.0
// Many binarised neurons on the same inputs, weights embedded: y[m] = popcount(x xnor w[m]) >=
// T[m].
//
// Neurons that agree, or disagree, on the weights of a whole group of inputs count that group
// alike: k - c is c with its bits inverted less a constant, inversion is free, and constants go
// into the bias. So a group of three needs at most four counters for any number of neurons, one of
// six at most 32; the plan takes the size that costs least.
#pragma once
#include <variant>

#include "gen/neuron/neuron.h"

namespace kumiki::gen::neuron {

enum class Sharing { automatic, none, three, six };

struct DenseRequest : compressor::TreeOptions {
  std::uint32_t inputs = 0;
  std::vector<std::vector<std::uint8_t>> weights;  // a row a neuron
  std::variant<std::uint32_t, std::vector<std::uint32_t>> threshold = 0u;
  Sharing sharing = Sharing::automatic;
};

// A counter of a group, used by one neuron or many.
struct SharedCount {
  unsigned first, size;    // inputs
  std::uint32_t inverted;  // of them; never the first
  auto operator<=>(const SharedCount&) const = default;
};

struct DenseNeuron {
  struct Use {
    std::size_t count;  // in DensePlan::counts
    bool complement;
  };
  std::vector<Use> uses;
  std::int64_t bias = 0;
  std::size_t tree = 0;  // in DensePlan::trees
};

struct DensePlan {
  DenseRequest request;
  unsigned group = 0;  // inputs that are counted together; 1: nothing is shared
  unsigned carry_column = 0;
  std::vector<SharedCount> counts;
  std::vector<DenseNeuron> neurons;
  std::vector<TreePlan> trees;
  unsigned latency = 0;
  unsigned first_layer_luts() const;
  unsigned luts() const;
  compressor::Datapath datapath() const;
};

// DesignError: rows of another length than the inputs, thresholds out of range.
DensePlan plan_dense(const DenseRequest& request);

const config::Table& dense_table();
std::unique_ptr<Layer> make_dense(const DenseRequest& request);

}  // namespace kumiki::gen::neuron
