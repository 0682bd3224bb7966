// SPDX-License-Identifier: Apache-2.0
// What `sim` is asked for.
#pragma once
#include <string>

#include "gen/cli/options.h"

namespace kumiki::cli {

struct SimOptions {
  Source source;
  Output output;
  std::string with = "verilator";          // native, verilator, icarus, model
  std::string unisim;                      // folder of vendor models
  std::string image;                       // a picture through a pipeline of filters
  std::string layer;                       // this layer of a network
  bool whole = false;                      // networks of arrays however long they are
  bool lanes = false;                      // units of a network side by side
  std::optional<std::size_t> images = {};  // whole networks side by side, an image each
  int stalls = 0;                          // of a network's streams, of 256 clocks
  flow::Run run;                           // seed and cycles
  std::size_t mutations = 0;               // so many single-cell mutations must be caught
  unsigned jobs = 0;                       // compilers at a time; 0: one a processor
};

// Networks of many clocks wait until somebody asks for them: for all by --whole, for a layer by its
// name, or for the model alone, which has nothing else to run.
inline bool asks_for_long(const SimOptions& options) {
  return options.whole || options.lanes || options.images || !options.layer.empty() ||
         options.with == "model";
}

}  // namespace kumiki::cli
