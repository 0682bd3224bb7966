// SPDX-License-Identifier: Apache-2.0
// A pipeline as a picture: a box a machine, its colour says how much of an interval it works.
// Queues and what changes lanes stand in the box that reads them, queues with their room and, where
// it was measured, how full they were.
#pragma once
#include <string>

#include "gen/layers/pipeline/fill.h"
#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

std::string pipeline_svg(const PipelinePlan& plan, const Fill* fill = nullptr);

}  // namespace kumiki::gen::pipeline
