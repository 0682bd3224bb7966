// SPDX-License-Identifier: Apache-2.0
// `plan --front`: what a network can be folded to, as pipelines.
#pragma once
#include <string>
#include <vector>

#include "gen/cli/options.h"

namespace kumiki::cli {

struct FrontOptions {
  Source source;              // a trained network, or a configuration with a dataflow
  double clock = 100;         // MHz, of the frames a second
  std::string pictures = {};  // folder for them, none when empty
  bool force = false;
  bool json = false;
  std::vector<std::string> in_luts = {}, in_trees = {};  // of a network: nodes without a slice
};
int plan_front(const FrontOptions& options, flow::Context& context);

}  // namespace kumiki::cli
