// SPDX-License-Identifier: Apache-2.0
// Where beats wait between machines, and how many. Machines take and give their beats in a fixed
// order and make no choice by time, so a pipeline is a Kahn network. Its results do not depend on
// stalls. If frames run through it once, no pattern of stalls at its ends can stop it.
//
// Only the pace depends on the queues. Take a run in which a frame comes every interval() clocks,
// and make each queue as deep as its fullest moment. These depths keep the pace: beats that come
// earlier delay nothing, so the slowest machine never waits. Most queues turn out to be
// unnecessary, because fast machines may wait for each other. The planner drops every queue without
// which frames still pass in time. A final run offers beats whenever one is taken and continues
// until frames repeat; it decides.
#pragma once
#include "gen/layers/pipeline/plan.h"
#include "ir/context.h"

namespace kumiki::gen::pipeline {

// The plan with queues: in front of every reader of a shared result, and wherever else the run
// needed them. Throws DesignError if no depths that were tried keep the pace.
//
// `store` keeps the depths found; several threads may use it at once. Null: no store.
PipelinePlan with_queues(const PipelinePlan& plan, ir::SearchStore* store = nullptr);

}  // namespace kumiki::gen::pipeline
