// SPDX-License-Identifier: Apache-2.0
// A configuration read, and the netlist built from it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "gen/cli/cli.h"
#include "gen/flow/network.h"
#include "gen/layers/catalog.h"
#include "ir/check.h"

namespace kumiki::cli {

// Changes a document that was read, before anything is planned: another target.
using Retarget = std::function<void(gen::config::Document&)>;

// Reads the configuration and plans every layer.
struct Plans {
  explicit Plans(const std::string& path, const Retarget& retarget = {}, bool axi_stream = false);
  // As the options say: layers with streams wrapped in AXI4-Stream, or not.
  explicit Plans(const Options& options) : Plans(options.config, {}, options.axi_stream) {}
  std::string text;  // of the configuration as given: a pipe is read once
  gen::config::Document document;
  std::vector<gen::NamedLayer> layers;
};

// Builds and checks; require_legal() throws what is wrong.
struct Project : Plans {
  explicit Project(const std::string& path, const Retarget& retarget = {}, bool axi_stream = false);
  explicit Project(const Options& options) : Project(options.config, {}, options.axi_stream) {}
  ir::CheckOptions check_options() const;
  void require_legal() const;
  const ir::Design& design() const { return builder.design(); }
  const ir::Module& top() const { return builder.design().top(); }

  gen::Builder builder;
  gen::BuiltNetwork network;
};

}  // namespace kumiki::cli
