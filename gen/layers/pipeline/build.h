// SPDX-License-Identifier: Apache-2.0
// Builds the machines of a pipeline as modules, and the wires between them.
#pragma once
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

PipelineOut<Hardware> build_pipeline(Scope& s, const PipelinePlan& plan,
                                     const PipelineIn<Hardware>& in);

}  // namespace kumiki::gen::pipeline
