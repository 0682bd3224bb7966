// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machine.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gen/layers/pipeline/machines/fifo.h"

namespace kumiki::gen::pipeline {
namespace {

// A queue that shows a result before anything has come.
class EarlyCounts : public Counts {
 public:
  Shown shown() const override { return {.ready = 1, .valid = true}; }
  std::int64_t alike(const Given&) const override { return forever; }
  void clock(const Given&, std::int64_t) override {}
  void state(std::vector<std::int64_t>&) const override {}
};
struct Early : Queue {
  std::unique_ptr<Counts> counts() const { return std::make_unique<EarlyCounts>(); }
};
struct EarlyPlan : FifoPlan {
  Early schedule() const { return {}; }
};
MachineOut<Hardware> build(Scope& s, const EarlyPlan& p, const MachineIn<Hardware>& in) {
  return build(s, static_cast<const FifoPlan&>(p), in);
}

TEST(PipelineMachine, AResultBeforeItsBeatsIsABug) {
  EarlyPlan plan;
  plan.stream = {.height = 2, .width = 2};
  EXPECT_THROW(MachineModel model(machine(plan)), std::logic_error);
}

}  // namespace
}  // namespace kumiki::gen::pipeline
