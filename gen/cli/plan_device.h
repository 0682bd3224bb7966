// SPDX-License-Identifier: Apache-2.0
// `plan --device`: does the netlist fit?
#pragma once
#include "gen/cli/options.h"

namespace kumiki::cli {

struct DeviceOptions {
  Source source;
  std::string device;
  std::optional<double> clock = {};  // MHz; without one the slice's fastest
  std::string pictures = {};         // folder for them, none when empty
  bool force = false;
  bool json = false;
};
int plan_on_device(const DeviceOptions& options, flow::Context& context);

}  // namespace kumiki::cli
