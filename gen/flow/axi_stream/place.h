// SPDX-License-Identifier: Apache-2.0
// The layer inside of what is built around it.
#pragma once
#include <vector>

#include "gen/hdl/scope.h"
#include "gen/hdl/word.h"
#include "gen/layer/layer.h"

namespace kumiki::gen::axi_stream {

ir::PortLayout layout_of(const Layer& layer, ir::Family family, const ir::Limits& limits = {});

// The layer as an instance; a word an input of its layout, the words of its outputs.
std::vector<UInt> place(Scope& s, const ir::Module& layer, const ir::PortLayout& ports,
                        const std::vector<UInt>& inputs, PlaceId at);

}  // namespace kumiki::gen::axi_stream
