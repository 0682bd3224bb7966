// SPDX-License-Identifier: Apache-2.0
// A layer's netlist to be proved or refuted. A counterexample has to hold on the native simulator
// and the model too, which know nothing of proofs.
#pragma once
#include <gtest/gtest.h>

#include "backends/sim/mutation/mutation.h"
#include "backends/sim/native/machine.h"
#include "gen/flow/prove.h"
#include "gen/layers/catalog.h"

namespace kumiki::test {

using backends::proof::Counterexample;
using backends::proof::Effort;
using backends::proof::Verdict;

class Subject {
 public:
  // As it stands in a configuration.
  explicit Subject(const std::string& layer);
  ir::Design& design() { return builder_.design(); }
  const ir::Design& design() const { return builder_.design(); }
  const gen::Layer& layer() const { return *layers_[0].layer; }
  const gen::proof::Reference& reference() const { return reference_; }
  Verdict prove(const Effort& effort) {
    return backends::proof::prove(design(), flow::question_of(reference_), effort);
  }

  // Whether a mutation shows on the native simulator: random inputs, 64 runs side by side.
  bool shows(std::uint64_t seed, std::uint64_t cycles);
  // One that shows, applied; its text, or nothing when none is found.
  std::string change(std::uint64_t cycles);
  // What refutes the design is so on the native simulator and the model.
  void expect_true(const Counterexample& counterexample);

 private:
  gen::config::Document document_;
  std::vector<gen::NamedLayer> layers_;
  gen::Builder builder_;
  gen::proof::Reference reference_;
};

// The last clock of the run.
ir::Frame replay(ir::Machine& machine, const ir::PortLayout& ports, const Counterexample& c);
void expect_value(const ir::Frame& frame, const ir::PortLayout& ports, const std::string& port,
                  const std::string& value);

}  // namespace kumiki::test
