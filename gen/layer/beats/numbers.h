// SPDX-License-Identifier: Apache-2.0
// Numbers of one width side by side on a port, or on a part of it: tests use the corners of each,
// and software learns where they are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/arith/format.h"

namespace kumiki::gen {

struct Numbers {
  std::string port;
  std::uint32_t width;
  bool is_signed;
  std::string part = {};   // if a port carries several: "x" in the word of a stream
  std::uint32_t low = 0;   // the lowest bit
  std::uint32_t bits = 0;  // of all of them; 0: to the end of the port
};

// Elements of a port, the lowest first. Different elements are parts of the port, named by the
// index of their first element.
std::vector<Numbers> side_by_side(const std::string& port,
                                  const std::vector<arith::Format>& elements);

}  // namespace kumiki::gen
