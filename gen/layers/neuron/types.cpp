// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/neuron/types.h"

#include "gen/layers/neuron/dense.h"
#include "gen/layers/neuron/neuron.h"
#include "gen/layers/neuron/serial.h"

namespace kumiki::gen::neuron {

std::vector<config::LayerType> layer_types() {
  return {
      {"bnn_neuron",
       "a binarised neuron",
       &neuron_table(),
       {},
       plan_with<NeuronRequest, make_neuron>,
       true,
       {R"({"type": "bnn_neuron", "inputs": 32, "threshold": 16})"}},
      {"bnn_serial",
       "a binarised neuron over several cycles",
       &serial_table(),
       {},
       plan_with<SerialRequest, make_serial>,
       true,
       {R"({"type": "bnn_serial", "inputs": 20, "cycles": 3, "threshold": 11})"}},
      {"bnn_dense",
       "binarised neurons that share their inputs",
       &dense_table(),
       {},
       plan_with<DenseRequest, make_dense>,
       true,
       {R"({"type": "bnn_dense", "inputs": 6, "threshold": 3, "weights": [[1, 0, 1, 1, 0, 0], [0, 1, 1, 0, 1, 0]]})"}},
  };
}

}  // namespace kumiki::gen::neuron
