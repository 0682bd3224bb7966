// SPDX-License-Identifier: Apache-2.0
// Sends numbers through a layer set by set, for users who have arrays and want no ports, words or
// clocks. The layer's beats tell where every number belongs and where every result is.
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
  // Builds the layer's netlist for the family, which determines the ports. UsageError: the layer
  // processes no sets of numbers, and why. LimitError.
  Sets(const gen::NamedLayer& layer, ir::Family family, const ir::Limits& limits = {});

  const std::vector<Operand>& inputs() const { return shape_.in; }
  const std::vector<Operand>& outputs() const { return shape_.out; }

  // The numbers of every operand, set after set.
  using Arrays = std::vector<std::vector<std::int64_t>>;
  using Progress = std::function<void(std::size_t sets)>;  // finished sets

  // Runs the layer's model. UsageError: a number is invalid for an operand. Interrupted.
  Arrays on_model(const Arrays& in, std::size_t count, const Progress& progress = {}) const;
  // Runs the netlist, 64 sets side by side, and compares each result with the model's. DesignError:
  // a result differs.
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
