// SPDX-License-Identifier: Apache-2.0
// `plan --front`: lists the pipelines to which a network can be folded.
#pragma once
#include <string>
#include <vector>

#include "gen/cli/options.h"

namespace kumiki::cli {

struct FrontOptions {
  Source source;              // a trained network, or a configuration with a dataflow layer
  double clock = 100;         // MHz, for the frames in a second
  std::string pictures = {};  // folder for them; empty: none
  bool force = false;
  bool json = false;
  std::vector<std::string> in_luts = {}, in_trees = {};  // for a network: nodes that take no slice
};
int plan_front(const FrontOptions& options, flow::Context& context);

}  // namespace kumiki::cli
