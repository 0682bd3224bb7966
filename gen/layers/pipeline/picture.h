// SPDX-License-Identifier: Apache-2.0
// A pipeline as a picture: a box a machine, its colour says how much of an interval it works.
// Queues and what changes lanes stand in the box that reads them.
#pragma once
#include <string>

#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

std::string pipeline_svg(const PipelinePlan& plan);

}  // namespace kumiki::gen::pipeline
