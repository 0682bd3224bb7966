// SPDX-License-Identifier: Apache-2.0
// The memory cell: one write port, one read port, one clock; written as an inferred RAM with
// ram_style. If the same edge reads and writes a word, the read gives the old word. The generator
// must avoid addresses past DEPTH: here they read 0 and are not written.
#pragma once
#include <cstdint>

namespace kumiki::ir::memory {

enum Parameter : unsigned { depth, width, address_bits, read, style, contents, parameter_count };
enum Read : std::uint64_t { asynchronous, registered, twice_registered };
enum Style : std::uint64_t { distributed, block, ultra };

// Order of the pins.
enum Input : unsigned { clk, write_enable, write_address, write_data, read_enable, read_address };

// Half BRAM36s of a block memory, in the shape that takes fewest.
std::uint32_t brams_18k(std::uint64_t depth, std::uint64_t width);
std::uint32_t urams(std::uint64_t depth, std::uint64_t width);

}  // namespace kumiki::ir::memory
