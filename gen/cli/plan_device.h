// SPDX-License-Identifier: Apache-2.0
// `plan --device`: checks whether the netlist fits.
#pragma once
#include "gen/cli/options.h"

namespace kumiki::cli {

struct DeviceOptions {
  Source source;
  std::string device;
  std::optional<double> clock = {};  // MHz; empty: the slice's fastest clock
  std::string pictures = {};         // folder for them; empty: none
  bool force = false;
  bool json = false;
};
int plan_on_device(const DeviceOptions& options, flow::Context& context);

}  // namespace kumiki::cli
