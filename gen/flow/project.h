// SPDX-License-Identifier: Apache-2.0
// A configuration read and planned, and the netlist built from it.
#pragma once
#include <string>
#include <vector>

#include "gen/flow/network.h"
#include "gen/layers/catalog.h"
#include "ir/check.h"

namespace kumiki::flow {

struct Reading {
  const gen::config::Registry& types = gen::registry();  // lives as long as what is read
  gen::config::Retarget retarget = {};
  bool axi_stream = false;  // layers with streams between AXI4-Stream ports
  ir::Context context = {};
};

// Reads the configuration and plans every layer. ConfigError, FileError, LimitError.
struct Plans {
  explicit Plans(const std::string& path, const Reading& how = {});
  std::string text;  // of the configuration as given: a pipe is read once
  gen::config::Document document;
  std::vector<gen::NamedLayer> layers;
};

// Builds as well; require_legal() throws what is wrong with the netlist.
struct Project : Plans {
  explicit Project(const std::string& path, const Reading& how = {});
  ir::CheckOptions check_options() const;
  void require_legal() const;
  const ir::Design& design() const { return builder.design(); }
  const ir::Module& top() const { return builder.design().top(); }

  gen::Builder builder;
  gen::BuiltNetwork network;
};

}  // namespace kumiki::flow
