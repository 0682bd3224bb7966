// SPDX-License-Identifier: Apache-2.0
// Whether a counted netlist fits a device, how full it makes the device, and how often it would
// fit.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gen/device/device.h"

namespace kumiki::gen::device {

struct Use {
  std::string_view resource;  // "DSP"
  std::uint64_t used = 0;
  std::uint64_t available = 0;
  bool known = true;  // whether the device's number is known
  bool fits() const { return !known || used <= available; }
  double percent() const;  // 0 of 0 is 0, anything of 0 is more than everything
};

struct Fit {
  std::vector<Use> uses;
  bool fits() const;
  // How many copies fit side by side, by counts alone, and the resource that limits them; empty if
  // the netlist uses nothing.
  struct Copies {
    std::uint64_t number;
    std::string_view limit;
  };
  std::optional<Copies> copies() const;
};

Fit fit(const Device& device, const ir::Cost& cost);

// 10^9 operations a second: two for every multiplication with its addition.
double gops(double macs_per_cycle, double mhz);

}  // namespace kumiki::gen::device
