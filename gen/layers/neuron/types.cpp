// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/neuron/types.h"

#include "gen/layers/neuron/dense.h"
#include "gen/layers/neuron/neuron.h"
#include "gen/layers/neuron/serial.h"

namespace kumiki::gen::neuron {

std::vector<config::LayerType> layer_types() {
  return {
      {.name = "bnn_neuron",
       .help = "a binarised neuron",
       .table = &neuron_table(),
       .plan = plan_with<NeuronRequest, make_neuron>,
       .searches = true,
       .examples = {R"({"type": "bnn_neuron", "inputs": 32, "threshold": 16})",
                    R"({"type": "bnn_neuron", "inputs": 9, "threshold": 5, "period_ns": 4})"}},
      {.name = "bnn_serial",
       .help = "a binarised neuron over several cycles",
       .table = &serial_table(),
       .plan = plan_with<SerialRequest, make_serial>,
       .searches = true,
       .examples = {R"({"type": "bnn_serial", "inputs": 20, "cycles": 3, "threshold": 11})"}},
      {.name = "bnn_dense",
       .help = "binarised neurons that share their inputs",
       .table = &dense_table(),
       .plan = plan_with<DenseRequest, make_dense>,
       .searches = true,
       .examples =
           {R"({"type": "bnn_dense", "inputs": 6, "threshold": 3, "weights": [[1, 0, 1, 1, 0, 0], [0, 1, 1, 0, 1, 0]]})"}},
  };
}

}  // namespace kumiki::gen::neuron
