// SPDX-License-Identifier: Apache-2.0
// A pipeline for people and for programs: a line a machine.
#pragma once
#include <string>
#include <vector>

#include "gen/config/writer.h"
#include "gen/layer/layer.h"
#include "gen/layers/pipeline/plan.h"

namespace kumiki::gen::pipeline {

std::string to_text(const PipelinePlan& plan);
void write(config::Writer& w, const PipelinePlan& plan);
HostFacts host_facts(const PipelinePlan& plan);
std::vector<Beat> beats(const PipelinePlan& plan);

}  // namespace kumiki::gen::pipeline
