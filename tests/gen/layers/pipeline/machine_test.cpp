// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machine.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gen/layers/pipeline/machines/fifo.h"

namespace kumiki::gen::pipeline {
namespace {

// A queue that shows a result before anything has come.
struct EarlyPlan : FifoPlan {};
MachineOut<Hardware> build(Scope& s, const EarlyPlan& p, const MachineIn<Hardware>& in) {
  return build(s, static_cast<const FifoPlan&>(p), in);
}
class EarlyCounts : public Counts {
 public:
  Shown shown() const override { return {.ready = 1, .valid = true}; }
  void clock(const Given&) override {}
  std::int64_t alike(const Given&) const override { return forever; }
  void skip(std::int64_t, const Given&) override {}
  void state(std::vector<std::int64_t>&) const override {}
};
std::unique_ptr<Counts> counts_of(const EarlyPlan&) { return std::make_unique<EarlyCounts>(); }

TEST(PipelineMachine, AResultBeforeItsBeatsIsABug) {
  EarlyPlan plan;
  plan.stream = {.height = 2, .width = 2};
  EXPECT_THROW(MachineModel model(machine(plan)), std::logic_error);
}

}  // namespace
}  // namespace kumiki::gen::pipeline
