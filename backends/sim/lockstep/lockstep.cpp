// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/lockstep/lockstep.h"

#include <algorithm>
#include <chrono>

#include "backends/sim/lockstep/comparison.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/sees_unknown.h"

namespace kumiki::backends {
namespace {

using lockstep::Comparison;

constexpr std::uint64_t cycles_between_progress = 1024;

void tell(const LockstepOptions& options, std::uint64_t cycle) {
  if (options.progress && (cycle % cycles_between_progress == 0 || cycle == options.cycles))
    options.progress(cycle);
}

void add(StimulusCounts& sum, const StimulusCounts& c) {
  sum.cycles += c.cycles;
  sum.random_cycles += c.random_cycles;
  sum.corner_cycles += c.corner_cycles;
  sum.given_cycles += c.given_cycles;
  for (unsigned i = 0; i < corner_count; ++i) sum.corners[i] += c.corners[i];
  sum.stalls += c.stalls;
  sum.stalled_cycles += c.stalled_cycles;
  sum.longest_stall = std::max(sum.longest_stall, c.longest_stall);
  sum.resets += c.resets;
  sum.reset_cycles += c.reset_cycles;
  sum.longest_reset = std::max(sum.longest_reset, c.longest_reset);
  sum.stalled_resets += c.stalled_resets;
  sum.invalid_cycles += c.invalid_cycles;
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

LockstepResult run_lockstep(ir::Machine& reference, ir::Machine& dut, Stimulus& stimulus,
                            const LockstepOptions& options) {
  Stopwatch watch;
  stimulus.restart();
  reference.power_up();
  dut.power_up();
  Comparison comparison(stimulus.ports(), options);
  const auto* four_valued = dynamic_cast<const SeesUnknown*>(&dut);
  ir::Frame in, expected, got;
  for (std::uint64_t cycle = 0; cycle < options.cycles && !comparison.is_enough(cycle); ++cycle) {
    stimulus.next(in);
    reference.step(in, expected);
    dut.step(in, got);
    comparison.compare(cycle, 0, in, expected, got, four_valued ? &four_valued->unknown() : nullptr,
                       reference.valid_mask());
    tell(options, cycle + 1);
    if (options.watch && !options.watch(got)) break;
  }
  LockstepResult result;
  comparison.finish(result);
  result.stimulus = stimulus.counts();
  result.seconds = watch.seconds();
  return result;
}

LockstepResult run_lanes(const MachineFactory& reference, const ir::Design& design, unsigned lanes,
                         const StimulusOptions& options, const LockstepOptions& lockstep) {
  Stopwatch watch;
  NativeMachines dut(design);
  const auto& ports = dut.simulator().ports();
  std::vector<Stimulus> stimuli;
  std::vector<std::unique_ptr<ir::Machine>> references;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    auto own = options;
    own.seed += lane;
    stimuli.emplace_back(ports, std::move(own));
    references.push_back(reference());
    references.back()->power_up();
  }
  dut.power_up();
  Comparison comparison(ports, lockstep);
  std::vector<ir::Frame> in(lanes), got(lanes);
  ir::Frame expected;
  for (std::uint64_t cycle = 0; cycle < lockstep.cycles && !comparison.is_enough(cycle); ++cycle) {
    for (unsigned lane = 0; lane < lanes; ++lane) stimuli[lane].next(in[lane]);
    dut.step(in, got);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      references[lane]->step(in[lane], expected);
      comparison.compare(cycle, lane, in[lane], expected, got[lane], nullptr,
                         references[lane]->valid_mask());
    }
    tell(lockstep, cycle + 1);
  }
  LockstepResult result;
  comparison.finish(result);
  for (const auto& s : stimuli) add(result.stimulus, s.counts());
  result.seconds = watch.seconds();
  return result;
}

}  // namespace kumiki::backends
