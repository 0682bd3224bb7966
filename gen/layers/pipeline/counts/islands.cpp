// SPDX-License-Identifier: Apache-2.0
// Machines that consist only of stages.
#include "gen/layers/pipeline/counts/moving.h"
#include "gen/layers/pipeline/machines/requantise.h"
#include "gen/layers/pipeline/machines/requantise_offset.h"
#include "gen/operators/add/machine.h"
#include "gen/operators/conv/unrolled.h"
#include "gen/operators/lookup/machine.h"
#include "gen/operators/thresholds/machine.h"

namespace kumiki::gen::pipeline {
namespace {

std::unique_ptr<Counts> of_island(const Stream& stream, int latency) {
  return std::make_unique<IslandCounts>(latency + Island::clocks_before(stream));
}

}  // namespace

std::unique_ptr<Counts> counts_of(const RequantisePlan& plan) {
  return of_island(plan.sums, plan.latency());
}

std::unique_ptr<Counts> counts_of(const ThresholdsPlan& plan) {
  return of_island(plan.in, plan.latency());
}

std::unique_ptr<Counts> counts_of(const OffsetPlan& plan) {
  return of_island(plan.sums, plan.latency());
}

std::unique_ptr<Counts> counts_of(const UnrolledPlan& plan) {
  return of_island(plan.output(), plan.latency());
}

std::unique_ptr<Counts> counts_of(const AddPlan& plan) {
  return std::make_unique<StagesCounts>(2, plan.stages());
}

std::unique_ptr<Counts> counts_of(const LookupPlan& plan) {
  return std::make_unique<StagesCounts>(1, plan.stages());
}

}  // namespace kumiki::gen::pipeline
