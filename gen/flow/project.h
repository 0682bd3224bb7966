// SPDX-License-Identifier: Apache-2.0
// A configuration read and planned, and the netlist built from it.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gen/flow/network.h"
#include "gen/layers/catalog.h"
#include "ir/check.h"

namespace kumiki::flow {

struct Reading {
  const gen::config::Registry& types = gen::registry();  // must outlive what is read
  gen::config::Retarget retarget = {};
  bool axi_stream = false;  // wrap layers with streams in AXI4-Stream ports
  ir::Context context = {};
  std::function<void(const std::string&)> note = {};  // receives notes for the user
};

// A configuration that is not in a file, or no longer: messages call it `name`, and files that it
// names are looked up next to it.
struct Given {
  std::string name, text;
};
Given read_given(const std::string& path);  // FileError

// Reads the configuration and plans every layer. ConfigError, FileError, LimitError.
struct Plans {
  explicit Plans(const std::string& path, const Reading& how = {}) : Plans(read_given(path), how) {}
  explicit Plans(Given given, const Reading& how = {});
  std::string name;  // of the file, for messages
  std::string text;  // of the configuration as given: a pipe can only be read once
  gen::config::Document document;
  std::vector<gen::NamedLayer> layers;
};

// Also builds the netlist; require_legal() throws if the netlist is wrong.
struct Project : Plans {
  explicit Project(const std::string& path, const Reading& how = {})
      : Project(read_given(path), how) {}
  explicit Project(Given given, const Reading& how = {})
      : Project(Plans(std::move(given), how), how.context.limits) {}
  // From existing plans.
  explicit Project(Plans plans, const ir::Limits& limits = {});
  ir::CheckOptions check_options() const;
  void require_legal() const;
  const ir::Design& design() const { return builder.design(); }
  const ir::Module& top() const { return builder.design().top(); }

  gen::Builder builder;
  gen::BuiltNetwork network;
};

}  // namespace kumiki::flow
