// SPDX-License-Identifier: Apache-2.0
// A testbench in Python for cocotb that replays golden vectors, layer by layer, and that a user
// extends: drivers, monitors and a scoreboard which know no netlist, and files with the layers and
// the tests of this one.
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
  // By the names that ports have at the top; a name that is empty stands for none.
  struct Layer {
    std::string name;
    std::vector<std::string> inputs = {}, outputs = {};
    std::string reset = {}, enable = {};
    bool resets_low = false;
    std::vector<std::string> sources = {}, sinks = {};  // AXI4-Streams: what their ports begin with
    std::vector<Numbers> numbers = {};
    // The cycle since when the vectors hold behind a reset of one clock, too; without it they are
    // only replayed from power-up on.
    std::optional<std::size_t> settled = {};
    // All inputs beside reset and streams may rest: its words alone say what comes out.
    bool only_streams = false;
  };
  std::vector<Layer> layers = {};
};

// The tests interrupt the vectors in front of this cycle.
constexpr std::size_t cocotb_middle(std::size_t cycles) { return (cycles + 1) / 2; }

// Adds cocotb/Makefile, requirements.txt, kumiki_bench.py, <top>_layers.py and test_<top>.py, with
// streams also kumiki_streams.py. The vectors and the file lists are there already.
void write_cocotb(const ir::Names& names, OutputSet& out, const CocotbOptions& options);

}  // namespace kumiki::backends
