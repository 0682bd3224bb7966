// SPDX-License-Identifier: Apache-2.0
// A pipeline as text for people and for programs: one line for each machine.
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
