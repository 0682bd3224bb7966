// SPDX-License-Identifier: Apache-2.0
// Layers side by side under one top. Port p of layer l is the top's port l_p; all share the clock.
#pragma once
#include <vector>

#include "gen/layer/layer.h"

namespace kumiki::gen {

struct BuiltLayer {
  const NamedLayer* layer;
  ir::ModuleId module;
  std::uint32_t first_input_limb, first_output_limb;  // of its ports in the top's frames
  ir::PortLayout ports;                               // of the layer alone
};

struct BuiltNetwork {
  ir::ModuleId top;
  std::vector<BuiltLayer> layers;
};

// Builds every layer and the top that holds them; sets the top of the builder's design. LayerError
// when the ports of two layers come out with one name.
BuiltNetwork build_network(Builder& builder, const std::string& name,
                           const std::vector<NamedLayer>& layers);

// The models of all layers as one machine with the ports of the top.
std::unique_ptr<ir::Machine> network_model(const BuiltNetwork& network);

// The beats of the top's ports; the numbers on its ports, on its inputs.
std::vector<Beat> beats(const BuiltNetwork& network);
std::vector<Numbers> numbers(const BuiltNetwork& network);
std::vector<Numbers> input_numbers(const BuiltNetwork& network);

// Each layer's part of a random frame made legal.
Drive drive(const BuiltNetwork& network);

}  // namespace kumiki::gen
