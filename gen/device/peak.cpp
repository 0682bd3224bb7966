// SPDX-License-Identifier: Apache-2.0
#include "gen/device/peak.h"

namespace kumiki::gen::device {

Peak peak(const Device& d) {
  Peak p{.name = d.name, .multipliers = d.dsps, .mhz = d.dsp_mhz, .clock_source = d.clock_source};
  if (d.has_dsp48e2()) p.products = dsp48e2_products, p.slices = dsp48e2_slices;
  return p;
}

Peak peak(const Rival& r) {
  return {.name = r.name,
          .rival = true,
          .multipliers = r.multipliers,
          .mhz = r.dsp_mhz,
          .clock_source = r.clock_source};
}

std::vector<Peak> peaks() {
  std::vector<Peak> all;
  for (const Device& d : devices()) all.push_back(peak(d));
  for (const Rival& r : rivals()) all.push_back(peak(r));
  return all;
}

}  // namespace kumiki::gen::device
