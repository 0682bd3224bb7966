// SPDX-License-Identifier: Apache-2.0
// The files that a host needs to run a program: the register writes as a C header and as a memory
// image, the words of every stream, and the order in which the array reads the words of maps.
#pragma once
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "gen/layers/array/program.h"

namespace kumiki::gen::array {

// A text that is generated while it is written: the weights of large networks do not fit in memory.
struct ProgramFile {
  std::string path;
  std::string content;  // a short description for a list of files
  std::function<void(std::ostream&)> write;
};

// NAME.h, NAME_registers.hex and NAME_order.json; for each layer LAYER_parameters.hex and its
// weights. Those of a convolution are LAYER_common.hex, those of a fully connected layer
// LAYER_individual.hex. Given inputs are LAYER_input.hex. The program must outlive the result.
std::vector<ProgramFile> program_files(const Program& program, const std::string& name,
                                       const std::vector<std::optional<Tensor>>& inputs);

// The individual files.
std::string c_header(const Program& program, const std::string& name);
// One line for each write: 12 bits of address, 32 of data, for $readmemh.
std::string registers_hex(const Program& program);
// For each layer and stream: its loops, outermost first, and the address of a word as a sum of loop
// counters times constants.
std::string order_json(const Program& program);

}  // namespace kumiki::gen::array
