// SPDX-License-Identifier: Apache-2.0
// Checks that values fit their parameters and contents their memory, and that every rule of the
// primitive holds.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ir/check/checker.h"

namespace kumiki::ir::checking {

class ParameterCheck {
 public:
  ParameterCheck(Checker& k, const Module& m) : k_(k), m_(m) { last_good_.fill(~0u); }
  void look(const Cell& primitive);

 private:
  bool values(const Cell& c, const Prototype& proto);
  void contents(const Cell& c);
  void rules(const Cell& c, const Prototype& proto);
  void complain(Code code, const Cell& c, std::string_view text);

  Checker& k_;
  const Module& m_;
  std::array<std::uint32_t, kind_count> last_good_;
  std::vector<std::string> broken_;
};

}  // namespace kumiki::ir::checking
