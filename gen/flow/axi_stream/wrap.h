// SPDX-License-Identifier: Apache-2.0
// A layer with AXI4-Stream ports instead of its own. Every X_valid with an X_ready becomes a
// stream: s_axis_X_ where the layer takes words, m_axis_X_ where it gives them, with tvalid,
// tready, tdata (whole bytes, what is added is 0) and tlast where the layer says so. A skid buffer
// stands before every stream that comes in and behind every one that goes out: no path leads from
// one port of a stream to another. The reset is aresetn, low; other ports stay as they are. A
// layer with a clock enable has its streams by flow.h: `in` and `out`.
#pragma once
#include <memory>

#include "gen/layer/layer.h"

namespace kumiki::gen::axi_stream {

inline constexpr int stream_levels = 1;  // that streams add to those of a layer

// False when the layer has neither: it stays as it is. `family` is what it will be built for.
bool wrap(std::shared_ptr<const Layer>& layer, ir::Family family, const ir::Limits& limits = {});

// What is between the streams; the layer itself where there are none.
const Layer& inside(const Layer& layer);

}  // namespace kumiki::gen::axi_stream
