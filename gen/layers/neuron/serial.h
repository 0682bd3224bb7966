// SPDX-License-Identifier: Apache-2.0
// A neuron that takes its inputs in several cycles, `lanes` of them at a time. A tree counts the
// agreements of a cycle. An accumulator that starts at 2^b - T adds the counts, and its bit b is y.
// This covers everything from the paper's parallel neuron (one cycle) to a serial one (one lane).
// If the cycles do not divide the inputs, the last cycle has fewer, in the lanes from 0 on; the
// other lanes are then ignored.
//
// in_valid begins a set. The other cycles follow in the next clocks with en at 1; in_valid is
// ignored meanwhile. rst drops a set in progress. t is read in the first cycle. y shows the sum's
// bit in every clock; it is the answer while out_valid is 1.
#pragma once
#include "gen/layers/neuron/neuron.h"

namespace kumiki::gen::neuron {

struct SerialRequest : compressor::TreeOptions {
  std::uint32_t inputs = 0, cycles = 1;
  std::optional<std::vector<std::uint8_t>> weights;  // absent: the port w, `lanes` in a cycle
  std::optional<std::uint32_t> threshold;            // absent: the port t
};

struct SerialPlan {
  SerialRequest request;
  std::uint32_t lanes = 0;
  unsigned carry_column = 0;    // b: the smallest with N + T < 2^b
  unsigned threshold_bits = 0;  // of the port t
  unsigned counter_bits = 0;    // of the counter of cycles
  TreePlan tree;
  bool adds_rows = false;  // the adder of the tree is the accumulator
  unsigned tree_latency = 0;
  unsigned latency() const { return tree_latency + 1; }
  bool is_used(std::uint32_t lane, std::uint32_t cycle) const;
  bool is_fixed(std::uint32_t lane) const;  // embedded, one weight in all its cycles
  bool is_pair(std::uint32_t lane) const;   // the tree computes its XNOR
  std::string module_name() const;
};

// Throws DesignError if the last cycle would be empty, and for everything that plan_neuron refuses.
SerialPlan plan_serial(const SerialRequest& request);

// Keys that exclude each other.
config::Violations violations(const SerialRequest& request);

void build_serial(Scope& s, const SerialPlan& plan);

const config::Table& serial_table();
std::unique_ptr<Layer> make_serial(const SerialRequest& request);
std::unique_ptr<Layer> make_planned(SerialPlan plan);

}  // namespace kumiki::gen::neuron
