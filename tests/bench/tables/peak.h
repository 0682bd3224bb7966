// SPDX-License-Identifier: Apache-2.0
// The white papers' peak figures as arithmetic: peak INT8 GOPS = multipliers x ratio x 2 x f.
#pragma once
#include <string_view>
#include <vector>

#include "gen/device/device.h"

namespace kumiki::gen::device {

// Products of 8 bits a clock. In a DSP48E2 two share an operand, and one slice in eight adds up
// segments of seven (WP486, WP487): 7/4. A DSP48E1 and Intel's 18 x 19 multipliers make one.
inline constexpr std::uint32_t dsp48e2_products = 7, dsp48e2_slices = 4;

struct Peak {
  std::string_view name;
  bool rival = false;
  std::uint32_t multipliers = 0;
  std::uint32_t products = 1, slices = 1;  // ratio products / slices
  std::uint32_t mhz = 0;                   // 0: unknown
  std::string_view clock_source;

  double ratio() const { return static_cast<double>(products) / slices; }
  double macs_per_cycle() const { return multipliers * ratio(); }
  // 10^9 operations a second at this clock.
  double gops(double clock) const { return macs_per_cycle() * 2 * clock / 1000; }
};

inline Peak peak(const Device& d) {
  Peak p{.name = d.name, .multipliers = d.dsps, .mhz = d.dsp_mhz, .clock_source = d.clock_source};
  if (d.has_dsp48e2()) p.products = dsp48e2_products, p.slices = dsp48e2_slices;
  return p;
}

inline Peak peak(const Rival& r) {
  return {.name = r.name,
          .rival = true,
          .multipliers = r.multipliers,
          .mhz = r.dsp_mhz,
          .clock_source = r.clock_source};
}

// Every device, then every rival.
inline std::vector<Peak> peaks() {
  std::vector<Peak> all;
  for (const Device& d : devices()) all.push_back(peak(d));
  for (const Rival& r : rivals()) all.push_back(peak(r));
  return all;
}

}  // namespace kumiki::gen::device
