// SPDX-License-Identifier: Apache-2.0
// A pipeline under test: words in, words out a stated number of enabled clocks later. The same
// netlist streams on the native simulator (64 at once, with stalls), on Verilator and with one cell
// changed.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/mutation/mutation.h"
#include "gen/hdl/hdl.h"
#include "ir/check.h"

namespace kumiki::tests {

class Pipeline {
 public:
  using Words = std::vector<gen::UInt>;
  using Values = std::vector<std::uint64_t>;
  using Build = std::function<Words(gen::Scope&, const Words&, gen::Net enable)>;
  // From the inputs of an enabled clock to the outputs; called in order, so it may remember.
  using Definition = std::function<Values(const Values&)>;

  Pipeline(std::vector<std::uint32_t> widths, std::uint32_t latency, const Build& build,
           std::function<Definition()> definition, ir::Family family = ir::Family::ultrascale_plus);

  const ir::Design& design() const { return builder_.design(); }
  const std::vector<std::uint32_t>& widths() const { return widths_; }
  ir::Cost cost() const;
  std::unique_ptr<ir::Machine> model() const;

  // Values 0 .. count - 1 of `stimulus`, an enabled clock each, one clock in eight a stall.
  void check(std::uint64_t count, const std::function<Values(std::uint64_t)>& stimulus) const;
  void check_all() const;                        // every combination of all inputs
  void check_random(std::uint64_t count) const;  // corners a third of the time
  // Lockstep on Verilator, `cycles` of the usual stimulus.
  void check_verilated(std::uint64_t cycles, const std::string& cache) const;
  // Netlists with one change; at least `caught` of those that change anything must be seen.
  void check_mutants(std::size_t count, double caught = 0.97);

 private:
  gen::Builder builder_;
  std::vector<std::uint32_t> widths_;
  std::uint32_t latency_;
  std::function<Definition()> definition_;
};

}  // namespace kumiki::tests
