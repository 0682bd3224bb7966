// SPDX-License-Identifier: Apache-2.0
// The plan of an engine for people and for programs.
#pragma once
#include <string>

#include "gen/config/writer.h"
#include "gen/layer/layer.h"
#include "gen/layers/engine/request.h"

namespace kumiki::gen::engine {

std::string to_text(const Engine& engine);
// Its network layer by layer, and the clocks of an image.
std::string network_text(const Engine& engine);
void write(config::Writer& w, const Engine& engine);
HostFacts host_facts(const Engine& engine);
HostRegisters host_registers(const Engine& engine);
std::vector<gen::Beat> beats(const Engine& engine);

}  // namespace kumiki::gen::engine
