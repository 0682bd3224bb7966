// SPDX-License-Identifier: Apache-2.0
// Names for the parts of a design in messages, in the words of the text form.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "ir/design.h"

namespace kumiki::ir {

// "%4..11,0*2,open": first net first, runs up, runs down and repetitions shortened, "-" for none.
void append_nets(std::string& out, std::span<const Net> nets);
std::string net_list(std::span<const Net> nets);

// A bare word, or quoted with escapes.
std::string quoted(std::string_view text);
std::string bare_or_quoted(std::string_view text);

// The pin, and the bit of it, at an offset in a cell's nets.
struct PinBit {
  unsigned pin = 0;
  std::uint32_t bit = 0;
  std::uint32_t width = 0;
};
PinBit locate(std::span<const Pin> pins, const CellView& cell, std::uint32_t offset);
// The same for the ports of a module: the index among the ports of that direction.
PinBit locate_port(const Module& m, Direction direction, std::uint32_t offset);

std::string kind_label(const Module& m, const Cell& cell);  // "FDRE*8", "instance of add8"
std::string cell_label(const Module& m, const Cell& cell);  // "FDRE*8 %12", "LUT6 u_x"
std::string input_label(const Module& m, const Cell& cell, std::uint32_t offset);    // "I0", "D[3]"
std::string output_label(const Module& m, const Cell& cell, std::uint32_t offset);   // "O", "CO[3]"
std::string port_label(const Module& m, Direction direction, std::uint32_t offset);  // "a[3]"
std::string net_label(const Module& m, Net net);  // "%5", with a hint "%5 (sum[2])"
std::string at(PlaceId place);                    // " at gen/x.cpp:41", "" for nowhere

}  // namespace kumiki::ir
