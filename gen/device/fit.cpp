// SPDX-License-Identifier: Apache-2.0
#include "gen/device/fit.h"

#include <algorithm>
#include <limits>

namespace kumiki::gen::device {

double Use::percent() const {
  if (used == 0) return 0;
  if (available == 0) return std::numeric_limits<double>::infinity();
  return 100.0 * static_cast<double>(used) / static_cast<double>(available);
}

bool Fit::fits() const {
  return std::ranges::all_of(uses, [](const Use& u) { return u.fits(); });
}

std::optional<Fit::Copies> Fit::copies() const {
  std::optional<Copies> most;
  for (const Use& u : uses) {
    if (u.used == 0 || !u.known) continue;
    const std::uint64_t number = u.available / u.used;
    if (!most || number < most->number) most = Copies{number, u.resource};
  }
  return most;
}

Fit fit(const Device& d, const ir::Cost& cost) {
  // Logic or memory occupies a LUT site; only some sites can be memory.
  return {{{"DSP", cost.dsps, d.dsps},
           {"LUT", std::uint64_t{cost.luts} + cost.lut_rams, d.luts},
           {"LUTMEM", cost.lut_rams, d.memory_luts, d.memory_luts != 0},
           {"FF", cost.ffs, d.ffs()},
           {"CARRY", cost.carry_bits, d.carry_positions()},
           {"BRAM18", cost.brams_18k, d.brams_18k()},
           {"URAM", cost.urams, d.urams}}};
}

double gops(double macs_per_cycle, double mhz) { return macs_per_cycle * 2 * mhz / 1000; }

}  // namespace kumiki::gen::device
