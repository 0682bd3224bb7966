// SPDX-License-Identifier: Apache-2.0
// The estimate of delay and the cells of each type of a flat netlist in Yosys' JSON, ours or what
// Yosys made of a behaviour: one rule for both.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "gen/blocks/compressor/timing.h"

namespace kumiki::cli {

struct NetlistFigures {
  gen::compressor::Timing timing;              // the slowest way from inputs and registers to
                                               // outputs and registers
  std::map<std::string, std::uint64_t> cells;  // of each type: {"LUT6": 12}
};
NetlistFigures netlist_figures(const std::string& yosys_json, const std::string& module);

}  // namespace kumiki::cli
