// SPDX-License-Identifier: Apache-2.0
// Numbers through a layer, set by set, for whoever has arrays and wants no ports, words and clocks:
// what a layer's beats say puts every number where it belongs and finds every result.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gen/flow/sets/host.h"
#include "gen/hdl/scope.h"
#include "gen/layer/layer.h"

namespace kumiki::flow {

class Sets {
 public:
  // The layer's netlist is built for the family: it says which ports there are. UsageError: no sets
  // of numbers go through this layer, and why. LimitError.
  Sets(const gen::NamedLayer& layer, ir::Family family, const ir::Limits& limits = {});

  const std::vector<Operand>& inputs() const { return shape_.in; }
  const std::vector<Operand>& outputs() const { return shape_.out; }

  // The numbers of every operand, set behind set.
  using Arrays = std::vector<std::vector<std::int64_t>>;
  using Progress = std::function<void(std::size_t sets)>;  // that are through

  // On the layer's model. UsageError: a number that an operand does not take. Interrupted.
  Arrays on_model(const Arrays& in, std::size_t count, const Progress& progress = {}) const;
  // On the netlist, 64 sets side by side, each result compared with the model's. DesignError: one
  // that differs.
  Arrays on_netlist(const Arrays& in, std::size_t count, const Progress& progress = {}) const;

 private:
  void require_numbers(const Arrays& in, std::size_t count) const;
  void require_legal(const ir::Frame& in, std::size_t set) const;

  gen::NamedLayer layer_;
  gen::Builder builder_;
  SetShape shape_;
  bool restricts_ = false;
};

}  // namespace kumiki::flow
