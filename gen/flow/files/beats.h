// SPDX-License-Identifier: Apache-2.0
// A layer as it is shown: its plan with the layout of its ports behind it.
#pragma once
#include <string>
#include <vector>

#include "backends/emit/project/header.h"
#include "gen/flow/network.h"
#include "gen/layer/layer.h"

namespace kumiki::flow {

std::string plan_text(const gen::Layer& layer);
void write_plan(gen::config::Writer& w, const gen::Layer& layer);  // with "beats"
// What the layer draws, and its beats last.
std::vector<gen::Picture> pictures(const gen::Layer& layer);

// The beats of the top's ports: for the head of its Verilog, and as functions for its C header.
std::string beats_note(const gen::BuiltNetwork& network);
std::vector<backends::HeaderOptions::Functions> beats_functions(const gen::BuiltNetwork& network,
                                                                const std::string& top);

}  // namespace kumiki::flow
