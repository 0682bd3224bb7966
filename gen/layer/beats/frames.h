// SPDX-License-Identifier: Apache-2.0
// Sets of words that a host stores as bytes in memory.
#pragma once
#include <cstdint>
#include <string>

#include "gen/layer/beats/beats.h"

namespace kumiki::gen {

// Whether a set of words is a frame of numbers, each of up to 32 bits at one fixed place.
// c_frames() can put such a frame into memory.
bool is_frame(const Beat& beat);

// The memory of a frame, and functions that put numbers into it (`goes_in`) or get them.
struct CFrameNames {
  std::string stream;   // begins the names of the functions: "top_layer_s_axis_in"
  std::string capital;  // of the constants
  std::string element;  // as for c_functions: "top_layer_s_axis_in_tdata"
  std::string header;
};
std::string c_frames(const Beat& beat, bool goes_in, std::uint32_t port_bits,
                     const CFrameNames& names);

}  // namespace kumiki::gen
