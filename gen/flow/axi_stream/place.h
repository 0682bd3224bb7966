// SPDX-License-Identifier: Apache-2.0
// The layer inside a wrapper.
#pragma once
#include <vector>

#include "gen/hdl/scope.h"
#include "gen/hdl/word.h"
#include "gen/layer/layer.h"

namespace kumiki::gen::axi_stream {

ir::PortLayout layout_of(const Layer& layer, ir::Family family, const ir::Limits& limits = {});

// Places the layer as an instance: takes a word for each input of its layout, returns the words of
// its outputs.
std::vector<UInt> place(Scope& s, const ir::Module& layer, const ir::PortLayout& ports,
                        const std::vector<UInt>& inputs, PlaceId at);

}  // namespace kumiki::gen::axi_stream
