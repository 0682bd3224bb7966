// SPDX-License-Identifier: Apache-2.0
// Functions of a few nets, each with a register behind it. Two of them share a LUT if they have at
// most five inputs together, whatever their times. So pairing waits until all functions are added.
#pragma once
#include <deque>
#include <functional>
#include <vector>

#include "gen/hdl/cells.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::packing {

class RegisteredFunctions {
 public:
  RegisteredFunctions(Scope& s, Net enable) : s_(s), enable_(enable) {}
  // The register behind a function of the nets; bit i of the index is net i. Inputs that are
  // constant or irrelevant do not count towards the six.
  Net add(const std::vector<Net>& nets, const std::function<bool(unsigned)>& value);
  void finish();

 private:
  struct Function {
    std::vector<Net> in;
    std::uint64_t bits = 0;
  };
  static Function reduced(const std::vector<Net>& nets, const std::function<bool(unsigned)>& value);

  Scope& s_;
  Net enable_;
  std::vector<Function> functions_;
  std::deque<Reg<Net>> registers_;  // of each function
};

}  // namespace kumiki::gen::packing
