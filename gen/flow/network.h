// SPDX-License-Identifier: Apache-2.0
// Layers side by side under one top. Port p of layer l is the top's port l_p; all share the clock.
#pragma once
#include <vector>

#include "gen/layer/layer.h"

namespace kumiki::gen {

struct BuiltLayer {
  const NamedLayer* layer;
  ir::ModuleId module;
  std::uint32_t first_input_limb, first_output_limb;  // position of its ports in the top's frames
  ir::PortLayout ports;                               // of the layer alone
};

struct BuiltNetwork {
  ir::ModuleId top;
  std::vector<BuiltLayer> layers;
};

// Builds every layer and the top that contains them; sets the top of the builder's design.
// LayerError if ports of two layers get the same name.
BuiltNetwork build_network(Builder& builder, const std::string& name,
                           const std::vector<NamedLayer>& layers);

// The models of all layers as one machine with the ports of the top.
std::unique_ptr<ir::Machine> network_model(const BuiltNetwork& network);

// The beats of the top's ports; the numbers on its ports, on its inputs.
std::vector<Beat> beats(const BuiltNetwork& network);
std::vector<Numbers> numbers(const BuiltNetwork& network);
std::vector<Numbers> input_numbers(const BuiltNetwork& network);

// Makes each layer's part of a random frame valid.
Drive drive(const BuiltNetwork& network);

}  // namespace kumiki::gen
