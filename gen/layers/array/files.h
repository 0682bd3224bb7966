// SPDX-License-Identifier: Apache-2.0
// What a host needs to run a program: register writes for a program and for a memory, the words of
// every stream, the order in which words of maps are asked for.
#pragma once
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "gen/layers/array/program.h"

namespace kumiki::gen::array {

// A text that is made when it is written: weights of large networks are larger than memory.
struct ProgramFile {
  std::string path;
  std::string content;  // in a word or two, for a list of files
  std::function<void(std::ostream&)> write;
};

// NAME.h, NAME_registers.hex, NAME_order.json, and for each layer LAYER_common.hex (convolution:
// its coefficients) or LAYER_individual.hex (fully connected: its weights), LAYER_parameters.hex,
// and LAYER_input.hex for inputs that are given. The program must outlive what it returns.
std::vector<ProgramFile> program_files(const Program& program, const std::string& name,
                                       const std::vector<std::optional<Tensor>>& inputs);

// The parts.
std::string c_header(const Program& program, const std::string& name);
// A line a write: 12 bits of address, 32 of data, for $readmemh.
std::string registers_hex(const Program& program);
// For each layer and stream its loops, outermost first, and what a word is in terms of their
// counters: sums of counters times constants.
std::string order_json(const Program& program);

}  // namespace kumiki::gen::array
