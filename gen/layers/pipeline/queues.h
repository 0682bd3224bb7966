// SPDX-License-Identifier: Apache-2.0
// Where beats wait between machines, and how many. Machines take and give their beats in a fixed
// order and choose nothing by time, so a pipeline is a Kahn network: what comes out does not depend
// on who waits when, and if frames run through it once, no pattern of stalls at its ends can make
// it stop. What depends on the queues is the pace. With queues as deep as their fullest moment in a
// run in which a frame comes in every interval() clocks it is kept: beats that come earlier make
// nothing later, so the slowest machine never waits. Most of them can be left out: machines that
// are fast enough may wait for each other. So those are dropped without which frames still pass in
// time; the last word has a run with beats whenever one is taken, which goes on until frames
// repeat.
#pragma once
#include "gen/layers/pipeline/plan.h"
#include "ir/context.h"

namespace kumiki::gen::pipeline {

// The plan with queues: in front of every reader of a result that several read, and wherever else
// the run needed them. Throws DesignError when no depth that is tried keeps the pace.
//
// `store` keeps the depths that were found; may be asked from several threads. Null: none.
PipelinePlan with_queues(const PipelinePlan& plan, ir::SearchStore* store = nullptr);

}  // namespace kumiki::gen::pipeline
