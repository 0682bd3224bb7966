// SPDX-License-Identifier: Apache-2.0
// A Python testbench for cocotb that replays golden vectors, layer by layer, and that a user
// extends. It has drivers, monitors and a scoreboard, which do not depend on the netlist, and files
// with the layers and tests of this netlist.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/support/files.h"
#include "ir/names.h"

namespace kumiki::backends {

struct CocotbOptions {
  std::string generator = {};
  std::size_t cycles = 0;  // of the vectors

  struct Numbers {
    std::string port, part;  // part: of a stream's word; empty: the whole port
    std::uint32_t low, width, count;
    bool is_signed;
  };
  // Ports have their names at the top; an empty name means none.
  struct Layer {
    std::string name;
    std::vector<std::string> inputs = {}, outputs = {};
    std::string reset = {}, enable = {};
    bool resets_low = false;
    std::vector<std::string> sources = {}, sinks = {};  // AXI4-Streams: the prefixes of their ports
    std::vector<Numbers> numbers = {};
    // From this cycle on the vectors also hold after a reset of one clock. Without it they are
    // replayed only from power-up.
    std::optional<std::size_t> settled = {};
    // All inputs except reset and streams may rest: only the words of the streams determine the
    // outputs.
    bool only_streams = false;
  };
  std::vector<Layer> layers = {};
};

// The tests interrupt the vectors before this cycle.
constexpr std::size_t cocotb_middle(std::size_t cycles) { return (cycles + 1) / 2; }

// Adds cocotb/Makefile, requirements.txt, kumiki_bench.py, <top>_layers.py and test_<top>.py; with
// streams also kumiki_streams.py. The vectors and the file lists must exist already.
void write_cocotb(const ir::Names& names, OutputSet& out, const CocotbOptions& options);

}  // namespace kumiki::backends
