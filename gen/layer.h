// SPDX-License-Identifier: Apache-2.0
// A layer as configured: what every generator offers to the rest of the program.
#pragma once
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "gen/dsl/scope.h"
#include "ir/machine.h"

namespace kumiki::gen {

using Json = nlohmann::ordered_json;

class Layer {
 public:
  virtual ~Layer() = default;

  // The plan: arithmetic and nothing else. Text for people, JSON with documented keys for programs.
  virtual std::string plan_text() const = 0;
  virtual Json plan_json() const = 0;

  // The netlist that follows the plan, as a module of the builder's design.
  virtual ir::Module& build(Builder& builder, ir::OriginId origin) const = 0;

  // What it must do, in integers.
  virtual std::unique_ptr<ir::Machine> model() const = 0;

  // Changes a random frame of inputs into a legal one: a layer whose operands are restricted says
  // how.
  virtual void constrain(ir::Frame&) const {}
};

struct NamedLayer {
  std::string name;
  std::string type;
  ir::OriginId origin;  // "cfg.json: /layers/3"
  std::unique_ptr<Layer> layer;
};

}  // namespace kumiki::gen
