// SPDX-License-Identifier: Apache-2.0
// The options of `sim`.
#pragma once
#include <optional>
#include <string>

#include "gen/cli/options.h"

namespace kumiki::cli {

struct SimOptions {
  Source source;
  Output output;
  std::string with = "verilator";          // native, verilator, icarus, model
  std::string unisim;                      // folder of vendor models
  std::string image;                       // a picture for a pipeline of filters
  std::string layer;                       // only this layer of a network
  bool whole = false;                      // networks of arrays of any length
  bool lanes = false;                      // units of a network side by side
  std::optional<std::size_t> images = {};  // whole networks side by side, one image each
  int stalls = 0;                          // of a network's streams, in 256 clocks
  flow::Run run;                           // seed and cycles
  std::size_t mutations = 0;               // this many single-cell mutations must be detected
  unsigned jobs = 0;                       // concurrent compilers; 0: one for each processor
};

// Networks of many clocks run only on request: --whole for all, a name for a layer, or the model
// alone, which has nothing else to run.
inline bool asks_for_long(const SimOptions& options) {
  return options.whole || options.lanes || options.images || !options.layer.empty() ||
         options.with == "model";
}

}  // namespace kumiki::cli
