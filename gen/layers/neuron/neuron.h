// SPDX-License-Identifier: Apache-2.0
// Binarised neurons: y = popcount(x xnor w) >= T, where bits stand for +1 and -1.
//
// There are three forms. `gpc` is the paper's: LUTs count three XNORs (or six inputs with embedded
// weights), the paper's counters compress the counts to two rows, then an adder and a comparison
// follow. `gpc-bias` is the same with 2^b - T in the heap; y is the carry out of bit b - 1, and no
// sum is computed. `absorbed` is ours: the bias is in the heap, and counters of any stage absorb
// the XNORs.
#pragma once
#include "gen/blocks/compressor/datapath.h"
#include "gen/blocks/compressor/heap.h"
#include "gen/layers/compressor/tree.h"
#include "gen/layers/neuron/simple.h"

namespace kumiki::gen::neuron {

using compressor::Heap;
using compressor::Shape;
using compressor::TreePlan;

enum class Form { absorbed, gpc, gpc_bias };

struct NeuronRequest : compressor::TreeOptions {
  std::uint32_t inputs = 0;
  Form form = Form::absorbed;
  std::optional<std::vector<std::uint8_t>> weights;  // absent: the port w
  std::optional<std::uint32_t> threshold;            // absent: the port t
};

struct NeuronPlan {
  NeuronRequest request;
  unsigned carry_column = 0;    // b: the smallest with N + T < 2^b
  unsigned threshold_bits = 0;  // of the port t
  SimplePlan simple;            // for the form `absorbed`: no tree is needed
  TreePlan tree;                // or one without stages
  unsigned latency = 0;
  std::shared_ptr<const compressor::Placement> placement = {};  // as in SumPlan

  std::string module_name() const;
  bool has_bias() const { return request.form != Form::gpc; }
  compressor::Datapath datapath() const;
};

// Throws DesignError if the weights do not match the inputs, or if the threshold is above N + 1.
NeuronPlan plan_neuron(const NeuronRequest& request);

// x, and w and t if they are ports.
struct NeuronNets {
  std::vector<Net> x, w;
  UInt t;
};
Heap neuron_heap(const NeuronPlan& plan, const NeuronNets& in);
Net build_neuron(Scope& s, const NeuronPlan& plan, const NeuronNets& in, Net enable);
// Builds the neuron from the words of its ports. The plan must outlive the result.
compressor::BuildWords neuron_builder(const NeuronPlan& plan);

const config::Table& neuron_table();
std::unique_ptr<Layer> make_neuron(const NeuronRequest& request);
std::unique_ptr<Layer> make_planned(NeuronPlan plan);

const char* name(Form form);

}  // namespace kumiki::gen::neuron
