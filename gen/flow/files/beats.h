// SPDX-License-Identifier: Apache-2.0
// What `plan` prints for a layer: its plan, then the layout of its ports.
#pragma once
#include <string>
#include <vector>

#include "backends/emit/project/header.h"
#include "gen/flow/network.h"
#include "gen/layer/layer.h"

namespace kumiki::flow {

std::string plan_text(const gen::Layer& layer);
void write_plan(gen::config::Writer& w, const gen::Layer& layer);  // including "beats"
// The pictures of a layer, and its beats last.
std::vector<gen::Picture> pictures(const gen::Layer& layer);

// The beats of the top's ports: as text for the head of its Verilog, and as functions for its C
// header.
std::string beats_note(const gen::BuiltNetwork& network);
std::vector<backends::HeaderOptions::Functions> beats_functions(const gen::BuiltNetwork& network,
                                                                const std::string& top);

}  // namespace kumiki::flow
