// SPDX-License-Identifier: Apache-2.0
// A layer with AXI4-Stream ports instead of its own. Every X_valid with an X_ready becomes a
// stream: s_axis_X_ if the layer takes words, m_axis_X_ if it gives them. A stream has tvalid,
// tready, tdata (padded to whole bytes with 0) and, if the layer marks ends, tlast. A skid buffer
// before every incoming stream and after every outgoing one separates the ports: no combinational
// path leads from one port of a stream to another. The reset is aresetn, active low; other ports
// stay unchanged. A layer with a clock enable gets the streams `in` and `out` from flow.h.
#pragma once
#include <memory>

#include "gen/layer/layer.h"

namespace kumiki::gen::axi_stream {

inline constexpr int stream_levels = 1;  // that streams add to the layer's

// False if the layer has neither streams nor a clock enable; it then stays unchanged. `family`: the
// target.
bool wrap(std::shared_ptr<const Layer>& layer, ir::Family family, const ir::Limits& limits = {});

// The layer between the streams; without streams the layer itself.
const Layer& inside(const Layer& layer);

}  // namespace kumiki::gen::axi_stream
