// SPDX-License-Identifier: Apache-2.0
// The estimate of delay of a flat netlist in Yosys' JSON, ours or what Yosys made of a behaviour:
// one rule for both.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "gen/blocks/compressor/timing.h"

namespace kumiki::cli {

// The slowest way from inputs and registers to outputs and registers of the module.
gen::compressor::Timing netlist_timing(const std::string& yosys_json, const std::string& module);
// How many cells of each type the module has: {"LUT6": 12}.
std::map<std::string, std::uint64_t> cells_by_type(const std::string& yosys_json,
                                                   const std::string& module);

}  // namespace kumiki::cli
