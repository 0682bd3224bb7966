// SPDX-License-Identifier: Apache-2.0
// C99 for a host that sends frames to the streams of a netlist through an AXI DMA: the driver,
// which is the same for all netlists, and a header with the frames of this one. Python with numpy
// is built on top.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

struct DriverOptions {
  std::string generator = {};
  // Constants and functions of each stream that carries frames.
  std::vector<std::string> streams = {};
  // The content of a frame. With a scale, a number q means scale * (q - zero point).
  struct Tensor {
    std::vector<std::int64_t> shape = {};
    std::int64_t lowest = 0, highest = 0;
    std::uint64_t frame_bytes = 0;
    std::optional<float> scale = {};
    int zero_point = 0;
  };
  // Layers with one such stream in each direction: from numbers to numbers in one call.
  struct Whole {
    std::string layer, name;                       // prefix of the functions: "top_layer"
    std::string in, in_capital, out, out_capital;  // prefixes of the streams' functions and
                                                   // constants
    Tensor input = {}, output = {};
    // The steps applied to a real input number before it is quantised: {"minus", {0.5}}, with a
    // value for all channels or one for each.
    std::vector<std::pair<std::string, std::vector<float>>> preparation = {};
  };
  std::vector<Whole> whole = {};
  bool has_engine = false;  // with ports of its own: kumiki_engine.h, .c and .py
};

// Adds kumiki_map.h and .c; for streams kumiki_dma.h and .c and <top>_frames.h; with whole layers
// also <top>_host.py and <top>_host.c.
void write_driver(const ir::Names& names, OutputSet& out, const DriverOptions& options);

// Models whose parts run on an engine: kumiki_session.py, and kumiki_parts.c with the driver that
// it is compiled with.
void write_hosts_of_parts(OutputSet& out, const std::string& generator);

}  // namespace kumiki::backends
