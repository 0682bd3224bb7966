// SPDX-License-Identifier: Apache-2.0
// The class of Python for a trained network.
#pragma once
#include <memory>
#include <optional>

#include "arrays.h"
#include "gen/flow/context.h"
#include "gen/flow/trained/trained.h"

namespace kumiki::python {

// The numbers of an output by definition, or of the first output on an array or pipeline: (array,
// clocks of an image or None, doubt about the images or ""). `machine`: "" for the definition.
nb::tuple outputs_of(flow::Trained& network, const Given& images, const std::string& machine,
                     const std::optional<std::string>& output, bool as_reals, unsigned threads,
                     flow::Context& context);

// The input and the outputs as tensors: (name, shape, bits, signed, scale, zero point), the input
// first.
nb::list ends_of(const gen::graph::Graph& graph);

}  // namespace kumiki::python
