// SPDX-License-Identifier: Apache-2.0
#include "backends/timing/paths.h"

#include <algorithm>

namespace kumiki::backends::timing {

std::vector<Step> trace(const Netlist& netlist, const Arrivals& arrivals, std::uint32_t net) {
  std::vector<Step> steps;
  if (arrivals[net].at == never) return steps;
  while (true) {
    const Arrival& here = arrivals[net];
    Step step{.cell = netlist.driver[net], .in = here.from, .net = net, .at = here.at};
    if (step.is_launch()) {
      step.own = here.at;
      steps.push_back(step);
      break;
    }
    net = netlist.input(step.cell, step.in);
    step.wire = arrivals.wire(net, step.cell, step.in);
    step.own = here.at - arrivals[net].at - step.wire;
    steps.push_back(step);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace kumiki::backends::timing
