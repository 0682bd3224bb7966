// SPDX-License-Identifier: Apache-2.0
// A pipeline as a picture: one box for each machine, coloured by the share of an interval in which
// it works. Queues and lane converters are drawn in the box that reads them, queues with their room
// and, if measured, their fullest moment.
#pragma once
#include <string>

#include "gen/layers/pipeline/fill.h"
#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

std::string pipeline_svg(const PipelinePlan& plan, const Fill* fill = nullptr);

}  // namespace kumiki::gen::pipeline
